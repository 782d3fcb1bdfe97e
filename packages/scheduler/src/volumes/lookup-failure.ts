import { isNotFound } from '@coxswain/apimachinery/errors';
import { Status } from '../framework/status.ts';

/** For a pod that needs something that could not be read: where it is not there at all, the pod fits nowhere until it is. */
export function lookupFailure(error: unknown): Status {
  const status = Status.failed(error);
  return isNotFound(error) ? Status.unresolvable(status.message) : status;
}
