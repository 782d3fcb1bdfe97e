import { type ErrorList, invalid, type Path } from '@coxswain/apimachinery';

/** No element of the path is `..`. */
export function validatePathNoBacksteps(target: string, path: Path, errors: ErrorList = []): ErrorList {
  if (target.includes('..') && target.split('/').includes('..'))
    errors.push(invalid(path, target, "must not contain '..'"));
  return errors;
}

/** A relative path that does not leave where it starts from. */
export function validateLocalDescendingPath(target: string, path: Path, errors: ErrorList = []): ErrorList {
  if (target.startsWith('/')) errors.push(invalid(path, target, 'must be a relative path'));
  return validatePathNoBacksteps(target, path, errors);
}

/** As `validateLocalDescendingPath`, and names that start with two dots stay free for the kubelet's own files. */
export function validateLocalNonReservedPath(target: string, path: Path, errors: ErrorList = []): ErrorList {
  validateLocalDescendingPath(target, path, errors);
  if (target.startsWith('..') && !target.startsWith('../'))
    errors.push(invalid(path, target, "must not start with '..'"));
  return errors;
}
