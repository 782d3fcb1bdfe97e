import { type ErrorList, invalid, type Path } from '@coxswain/apimachinery';

/** No element of the path is `..`. */
export function validatePathNoBacksteps(target: string, path: Path): ErrorList {
  return target.includes('..') && target.split('/').includes('..')
    ? [invalid(path, target, "must not contain '..'")]
    : [];
}

/** A relative path that does not leave where it starts from. */
export function validateLocalDescendingPath(target: string, path: Path): ErrorList {
  const errors = validatePathNoBacksteps(target, path);
  if (target.startsWith('/')) errors.unshift(invalid(path, target, 'must be a relative path'));
  return errors;
}

/** As `validateLocalDescendingPath`, and names that start with two dots stay free for the kubelet's own files. */
export function validateLocalNonReservedPath(target: string, path: Path): ErrorList {
  const errors = validateLocalDescendingPath(target, path);
  if (target.startsWith('..') && !target.startsWith('../'))
    errors.push(invalid(path, target, "must not start with '..'"));
  return errors;
}
