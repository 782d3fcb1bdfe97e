import { type ApiError, newBadRequest, newGenericServerResponse, newRequestEntityTooLarge } from '../errors/index.ts';
import { JsonDepthError } from '../json/index.ts';
import { GroupResource } from '../meta/group-version.ts';

/** The HTTP status that the API server gives to a patch that failed for this reason. */
export type PatchErrorCode = 400 | 413 | 422 | 500;

/** A patch is malformed, or does not fit what it is applied to. The message is upstream's. */
export class PatchError extends Error {
  override readonly name: string = 'PatchError';
  readonly code: PatchErrorCode;

  constructor(message: string, code: PatchErrorCode = 500) {
    super(message);
    this.code = code;
  }
}

/** A patch that was to be made changes what its preconditions say must stay. */
export class PreconditionFailedError extends PatchError {
  override readonly name = 'PreconditionFailedError';
}

/** A patch that was to be made changes what others have changed too. */
export class PatchConflictError extends PatchError {
  override readonly name = 'PatchConflictError';

  /** Both sides as YAML: what the patch does, and what happened meanwhile. */
  constructor(patch: string, current: string) {
    super(`patch:\n${patch}\nconflicts with changes made from original to current:\n${current}\n`);
  }
}

/**
 * What an API server answers when applying a patch failed. A 422 keeps its words to itself, as upstream's does: they
 * are in the `cause`. A 500 and errors of other kinds come back as they are; they become a Status without a reason.
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
