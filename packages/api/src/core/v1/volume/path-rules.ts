import { type ErrorList, invalid, type Path } from '@coxswain/apimachinery';

/** Validates that no element of the path is `..`. */
export function validatePathNoBacksteps(target: string, path: Path, errors: ErrorList = []): ErrorList {
  if (target.includes('..') && target.split('/').includes('..'))
    errors.push(invalid(path, target, "must not contain '..'"));
  return errors;
}

/** Validates a relative path that does not leave its base directory. */
export function validateLocalDescendingPath(target: string, path: Path, errors: ErrorList = []): ErrorList {
  if (target.startsWith('/')) errors.push(invalid(path, target, 'must be a relative path'));
  return validatePathNoBacksteps(target, path, errors);
}

/**
 * Like `validateLocalDescendingPath`, and refuses names that start with two dots, which are reserved for the kubelet's
 * own files.
 */
export function validateLocalNonReservedPath(target: string, path: Path, errors: ErrorList = []): ErrorList {
  validateLocalDescendingPath(target, path, errors);
  if (target.startsWith('..') && !target.startsWith('../'))
    errors.push(invalid(path, target, "must not start with '..'"));
  return errors;
}
