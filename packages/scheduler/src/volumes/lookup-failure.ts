import { isNotFound } from '@coxswain/apimachinery/errors';
import { Status } from '../framework/status.ts';

/** Converts the error of a lookup that the pod depends on. When the object is not found, the pod is unresolvable until it exists. */
export function lookupFailure(error: unknown): Status {
  const status = Status.failed(error);
  return isNotFound(error) ? Status.unresolvable(status.message) : status;
}
