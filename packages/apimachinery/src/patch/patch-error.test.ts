import { expect, it } from 'vitest';
import { ApiError, toStatus } from '../errors/index.ts';
import { JsonDepthError } from '../json/index.ts';
import { applyJsonPatch } from './json-patch.ts';
import { interpretPatchError, PatchConflictError, PatchError, PreconditionFailedError } from './patch-error.ts';

/** Code, reason and message of a kube-apiserver's response. */
it.each([
  [new PatchError('Invalid JSON Patch', 400), 400, 'BadRequest', 'Invalid JSON Patch'],
  [
    new PatchError('The allowed maximum operations in a JSON patch is 10000, got 10001', 413),
    413,
    'RequestEntityTooLarge',
    'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
  ],
  [
    new PatchError('Unexpected kind: x', 422),
    422,
    'Invalid',
    'the server rejected our request due to an error in our request',
  ],
  [
    new PatchError('unknown patch type: foo in map: map[$patch:foo]'),
    500,
    undefined,
    'unknown patch type: foo in map: map[$patch:foo]',
  ],
  [new JsonDepthError(), 400, 'BadRequest', 'exceeded max depth'],
])('%s', (error, code, reason, message) => {
  const answer = interpretPatchError(error);
  const status = toStatus(answer);
  expect([status.code, status.reason, status.message]).toEqual([code, reason, message]);
  if (answer instanceof ApiError) expect(answer.cause).toBe(error);
});

it('returns other errors unchanged', () => {
  const error = new TypeError('bug');
  expect(interpretPatchError(error)).toBe(error);
});

it('has a PatchError for every failure of a patch', () => {
  expect(new PreconditionFailedError('x')).toBeInstanceOf(PatchError);
  expect(new PatchConflictError('a', 'b').message).toBe(
    'patch:\na\nconflicts with changes made from original to current:\nb\n',
  );
  expect(() => applyJsonPatch({}, 1)).toThrow(PatchError);
});
