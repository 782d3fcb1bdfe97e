import { describe, expect, it } from 'vitest';
import { GroupResource } from '../meta/group-version.ts';
import { ApiError } from './api-error.ts';
import * as errors from './new-errors.ts';
import * as predicates from './predicates.ts';

const pods = GroupResource.of('', 'pods');

const byReason: [name: string, predicate: (error: unknown) => boolean, reason: string, code: number][] = [
  ['isNotFound', predicates.isNotFound, 'NotFound', 404],
  ['isConflict', predicates.isConflict, 'Conflict', 409],
  ['isInvalid', predicates.isInvalid, 'Invalid', 422],
  ['isGone', predicates.isGone, 'Gone', 410],
  ['isNotAcceptable', predicates.isNotAcceptable, 'NotAcceptable', 406],
  ['isUnsupportedMediaType', predicates.isUnsupportedMediaType, 'UnsupportedMediaType', 415],
  ['isMethodNotSupported', predicates.isMethodNotSupported, 'MethodNotAllowed', 405],
  ['isServiceUnavailable', predicates.isServiceUnavailable, 'ServiceUnavailable', 503],
  ['isBadRequest', predicates.isBadRequest, 'BadRequest', 400],
  ['isUnauthorized', predicates.isUnauthorized, 'Unauthorized', 401],
  ['isForbidden', predicates.isForbidden, 'Forbidden', 403],
  ['isTimeout', predicates.isTimeout, 'Timeout', 504],
  ['isInternalError', predicates.isInternalError, 'InternalError', 500],
];

describe.each(byReason)('%s', (_, predicate, reason, code) => {
  it('is true for the reason, whatever the code', () => {
    expect(predicate(new ApiError({ reason, code: 299 }))).toBe(true);
  });
  it('is true for the code when the reason is unknown', () => {
    expect(predicate(new ApiError({ code }))).toBe(true);
    expect(predicate(new ApiError({ reason: 'MadeUp', code }))).toBe(true);
  });
  it('ignores the code when there is another known reason', () => {
    expect(predicate(new ApiError({ reason: 'AlreadyExists', code }))).toBe(false);
  });
  it('is false for anything else', () => {
    for (const other of [new Error('x'), undefined, null, 'x', { status: { reason, code } }]) {
      expect(predicate(other)).toBe(false);
    }
  });
});

describe('predicates by reason only', () => {
  it.each([
    ['isAlreadyExists', predicates.isAlreadyExists, 'AlreadyExists', 409],
    ['isResourceExpired', predicates.isResourceExpired, 'Expired', 410],
    ['isServerTimeout', predicates.isServerTimeout, 'ServerTimeout', 500],
    ['isStoreReadError', predicates.isStoreReadError, 'StorageReadError', 500],
  ] as const)('%s', (_, predicate, reason, code) => {
    expect(predicate(new ApiError({ reason }))).toBe(true);
    expect(predicate(new ApiError({ code }))).toBe(false);
  });
});

describe('predicates by reason or any code', () => {
  it.each([
    ['isTooManyRequests', predicates.isTooManyRequests, 'TooManyRequests', 429],
    ['isRequestEntityTooLarge', predicates.isRequestEntityTooLarge, 'RequestEntityTooLarge', 413],
  ] as const)('%s', (_, predicate, reason, code) => {
    expect(predicate(new ApiError({ reason }))).toBe(true);
    expect(predicate(new ApiError({ reason: 'Conflict', code }))).toBe(true);
    expect(predicate(new ApiError({ reason: 'Conflict', code: 409 }))).toBe(false);
  });
});

describe('wrapped errors', () => {
  it('are searched along their causes', () => {
    const wrapped = new Error('outer', { cause: new TypeError('middle', { cause: errors.newNotFound(pods, 'x') }) });
    expect(predicates.isNotFound(wrapped)).toBe(true);
    expect(predicates.reasonForError(wrapped)).toBe('NotFound');
  });

  it('are judged by the outermost API error', () => {
    const error = errors.newConflict(pods, 'x', errors.newNotFound(pods, 'y'));
    expect(predicates.isConflict(error)).toBe(true);
    expect(predicates.isNotFound(error)).toBe(false);
  });

  it("may be each other's cause", () => {
    const a = new Error('a');
    const b = new Error('b', { cause: a });
    a.cause = b;
    expect(predicates.isNotFound(a)).toBe(false);
  });
});

describe('suggestsClientDelay', () => {
  it.each([
    ['a requested delay', errors.newTooManyRequests('', 5), 5],
    ['no delay', errors.newTooManyRequests('', 0), undefined],
    ['a server timeout, even without a delay', errors.newServerTimeout(pods, 'get', 0), 0],
    ['an error without details', errors.newBadRequest(''), undefined],
    ['another error', new Error(), undefined],
  ])('reads %s', (_, error, seconds) => {
    expect(predicates.suggestsClientDelay(error)).toBe(seconds);
  });
});

describe('causes', () => {
  it('are found by type', () => {
    const error = new ApiError({ details: { causes: [{ reason: 'UnexpectedServerResponse' }] } });
    expect(predicates.hasStatusCause(error, 'UnexpectedServerResponse')).toBe(true);
    expect(predicates.hasStatusCause(error, 'FieldManagerConflict')).toBe(false);
    expect(predicates.isUnexpectedServerError(new Error('x', { cause: error }))).toBe(true);
    expect(predicates.isUnexpectedServerError(errors.newBadRequest(''))).toBe(false);
  });
});
