import { describe, expect, it } from 'vitest';
import { GroupResource } from '../meta/group-version.ts';
import { ApiError, fromObject, fromStatus, statusCause, toStatus, UnexpectedObjectError } from './api-error.ts';
import { newNotFound } from './new-errors.ts';
import { isUnexpectedObjectError } from './predicates.ts';

const notFound = newNotFound(GroupResource.of('', 'pods'), 'x');

describe('ApiError', () => {
  it('is an Error with the message of its Status', () => {
    expect(notFound).toBeInstanceOf(Error);
    expect(notFound.message).toBe('pods "x" not found');
    expect(notFound.name).toBe('ApiError');
    expect([notFound.code, notFound.reason, notFound.details]).toEqual([404, 'NotFound', { name: 'x', kind: 'pods' }]);
  });

  it('has empty values for the missing fields of its Status', () => {
    const error = new ApiError({});
    expect([error.message, error.code, error.reason, error.details, error.causes]).toEqual(['', 0, '', undefined, []]);
  });
});

describe('toStatus', () => {
  it('gives an ApiError’s own Status', () => {
    expect(toStatus(notFound)).toEqual(notFound.status);
  });

  it.each([
    ['an incomplete one', new ApiError({ message: 'm' }), { status: 'Failure', message: 'm', code: 500 }],
    ['a success without code', new ApiError({ status: 'Success' }), { status: 'Success', code: 200 }],
    ['another error', new Error('oops'), { status: 'Failure', message: 'oops', code: 500 }],
    ['a value that is not an error', 'oops', { status: 'Failure', message: 'oops', code: 500 }],
  ])('completes %s', (_, error, expected) => {
    expect(toStatus(error)).toEqual({ kind: 'Status', apiVersion: 'v1', metadata: {}, ...expected });
  });
});

describe('fromStatus and fromObject', () => {
  it('are the inverse of toStatus', () => {
    const again = fromStatus(toStatus(notFound), { cause: notFound });
    expect(again.status).toEqual(notFound.status);
    expect(again.cause).toBe(notFound);
    expect(fromObject(toStatus(notFound))).toEqual(notFound);
    expect(fromObject({ kind: 'Status', apiVersion: 'meta.k8s.io/v1', message: 'm' }).message).toBe('m');
  });

  it.each([{ kind: 'Pod', apiVersion: 'v1' }, { kind: 'Status', apiVersion: 'v2' }, null, 'x'])(
    'do not take %j for a Status',
    (object) => {
      const error = fromObject(object);
      expect(error).toBeInstanceOf(UnexpectedObjectError);
      expect(error.message).toBe(`unexpected object: ${JSON.stringify(object)}`);
      expect(isUnexpectedObjectError(new Error('outer', { cause: error }))).toBe(true);
    },
  );

  it('distinguish a Status from other objects', () => {
    expect(isUnexpectedObjectError(notFound)).toBe(false);
    const cause = { reason: 'ResourceVersionTooLarge', message: 'm' };
    expect(statusCause(fromStatus({ details: { causes: [cause] } }), 'ResourceVersionTooLarge')).toBe(cause);
  });
});
