import { type ApiError, newBadRequest, newGenericServerResponse, newRequestEntityTooLarge } from '../errors/index.ts';
import { JsonDepthError } from '../json/index.ts';
import { GroupResource } from '../meta/group-version.ts';

/** The HTTP status of the API server's response to a patch that failed for this reason. */
export type PatchErrorCode = 400 | 413 | 422 | 500;

/** Thrown when a patch is malformed, or does not fit the object it is applied to. The message is upstream's. */
export class PatchError extends Error {
  override readonly name: string = 'PatchError';
  readonly code: PatchErrorCode;

  constructor(message: string, code: PatchErrorCode = 500) {
    super(message);
    this.code = code;
  }
}

/** Thrown when a patch to be created would change a value that its preconditions protect. */
export class PreconditionFailedError extends PatchError {
  override readonly name = 'PreconditionFailedError';
}

/** Thrown when a patch to be created would change values that others have changed, too. */
export class PatchConflictError extends PatchError {
  override readonly name = 'PatchConflictError';

  /** Both sides as YAML: the changes of the patch, and the changes made to the object meanwhile. */
  constructor(patch: string, current: string) {
    super(`patch:\n${patch}\nconflicts with changes made from original to current:\n${current}\n`);
  }
}

/**
 * Returns the API server's error for a patch that failed. As upstream, a 422 does not contain the message, which is in the `cause`. A 500
 * and errors of other kinds are returned unchanged; they become a Status without a reason.
 */
export function interpretPatchError(error: unknown): unknown {
  if (error instanceof JsonDepthError) return newBadRequest(error.message, { cause: error });
  if (!(error instanceof PatchError)) return error;
  const answer = answers[error.code]?.(error.message);
  if (answer) answer.cause = error;
  return answer ?? error;
}

const answers: Partial<Record<number, (message: string) => ApiError>> = {
  400: newBadRequest,
  413: newRequestEntityTooLarge,
  422: (serverMessage) =>
    newGenericServerResponse({ code: 422, verb: '', resource: GroupResource.of('', ''), serverMessage }),
};
