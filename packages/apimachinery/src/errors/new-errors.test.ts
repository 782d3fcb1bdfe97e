import { describe, expect, it } from 'vitest';
import { invalid, required } from '../field/error.ts';
import { Path } from '../field/path.ts';
import { GroupKind, GroupResource } from '../meta/group-version.ts';
import type { Status } from '../meta/status.ts';
import type { ApiError } from './api-error.ts';
import { newGenericServerResponse } from './generic-server-response.ts';
import * as errors from './new-errors.ts';

const pods = GroupResource.of('', 'pods');
const deployments = GroupResource.of('apps', 'deployments');
const nothing = GroupResource.of('', '');
const boom = new Error('boom');
const spec = Path.of('spec');

/** The variable parts of a Status, as upstream's constructors write them. */
type Expected = Pick<Status, 'message' | 'reason' | 'details' | 'code'>;

const podX = { name: 'x', kind: 'pods' };
const missingA = { reason: 'FieldValueRequired', message: 'Required value: must', field: 'spec.a' };

const cases: Record<string, [ApiError, Expected]> = {
  'not found': [
    errors.newNotFound(deployments, 'a"b'),
    {
      message: 'deployments.apps "a\\"b" not found',
      reason: 'NotFound',
      details: { name: 'a"b', group: 'apps', kind: 'deployments' },
      code: 404,
    },
  ],
  'already exists': [
    errors.newAlreadyExists(pods, 'x'),
    { message: 'pods "x" already exists', reason: 'AlreadyExists', details: podX, code: 409 },
  ],
  'no name could be generated': [
    errors.newGenerateNameConflict(pods, 'x', 1),
    {
      message: 'pods "x" already exists, the server was not able to generate a unique name for the object',
      reason: 'AlreadyExists',
      details: { ...podX, retryAfterSeconds: 1 },
      code: 409,
    },
  ],
  'unauthorized without a message': [
    errors.newUnauthorized(''),
    { message: 'not authorized', reason: 'Unauthorized', code: 401 },
  ],
  'unauthorized with a message': [
    errors.newUnauthorized('Unauthorized'),
    { message: 'Unauthorized', reason: 'Unauthorized', code: 401 },
  ],
  'forbidden for an object': [
    errors.newForbidden(deployments, 'x', boom),
    {
      message: 'deployments.apps "x" is forbidden: boom',
      reason: 'Forbidden',
      details: { name: 'x', group: 'apps', kind: 'deployments' },
      code: 403,
    },
  ],
  'forbidden for a resource': [
    errors.newForbidden(deployments, '', boom),
    {
      message: 'deployments.apps is forbidden: boom',
      reason: 'Forbidden',
      details: { group: 'apps', kind: 'deployments' },
      code: 403,
    },
  ],
  'forbidden for no resource': [
    errors.newForbidden(nothing, '', 'boom'),
    { message: 'forbidden: boom', reason: 'Forbidden', details: {}, code: 403 },
  ],
  conflict: [
    errors.newConflict(pods, 'x', boom),
    {
      message: 'Operation cannot be fulfilled on pods "x": boom',
      reason: 'Conflict',
      details: podX,
      code: 409,
    },
  ],
  'apply conflict': [
    errors.newApplyConflict([{ reason: 'FieldManagerConflict', message: 'm', field: '.spec' }], 'msg'),
    {
      message: 'msg',
      reason: 'Conflict',
      details: { causes: [{ reason: 'FieldManagerConflict', message: 'm', field: '.spec' }] },
      code: 409,
    },
  ],
  gone: [errors.newGone('g'), { message: 'g', reason: 'Gone', code: 410 }],
  expired: [
    errors.newResourceExpired('too old resource version: 1 (2)'),
    { message: 'too old resource version: 1 (2)', reason: 'Expired', code: 410 },
  ],
  'invalid without errors': [
    errors.newInvalid(GroupKind.of('', 'Pod'), 'x', []),
    { message: 'Pod "x" is invalid', reason: 'Invalid', details: { name: 'x', kind: 'Pod' }, code: 422 },
  ],
  'invalid for one error': [
    errors.newInvalid(GroupKind.of('', 'Pod'), 'x', [required(spec.child('a'))]),
    {
      message: 'Pod "x" is invalid: spec.a: Required value',
      reason: 'Invalid',
      details: {
        name: 'x',
        kind: 'Pod',
        causes: [{ reason: 'FieldValueRequired', message: 'Required value', field: 'spec.a' }],
      },
      code: 422,
    },
  ],
  'invalid for several errors, repeated ones once in the message': [
    errors.newInvalid(GroupKind.of('apps', 'Deployment'), 'x', [
      required(spec.child('a'), 'must'),
      invalid(spec.child('b').index(0), 3, 'bad'),
      required(spec.child('a'), 'must'),
      invalid(undefined, 'v', 'd'),
    ]),
    {
      message:
        'Deployment.apps "x" is invalid: [spec.a: Required value: must, spec.b[0]: Invalid value: 3: bad, <nil>: Invalid value: "v": d]',
      reason: 'Invalid',
      details: {
        name: 'x',
        group: 'apps',
        kind: 'Deployment',
        causes: [
          missingA,
          { reason: 'FieldValueInvalid', message: 'Invalid value: 3: bad', field: 'spec.b[0]' },
          missingA,
          { reason: 'FieldValueInvalid', message: 'Invalid value: "v": d', field: '<nil>' },
        ],
      },
      code: 422,
    },
  ],
  'bad request': [errors.newBadRequest('br'), { message: 'br', reason: 'BadRequest', code: 400 }],
  'too many requests': [
    errors.newTooManyRequests('tm', 5),
    { message: 'tm', reason: 'TooManyRequests', details: { retryAfterSeconds: 5 }, code: 429 },
  ],
  'too many requests, no wait': [
    errors.newTooManyRequests('tm', 0),
    { message: 'tm', reason: 'TooManyRequests', details: {}, code: 429 },
  ],
  'too many requests at the server': [
    errors.newTooManyRequestsError('tm'),
    { message: 'Too many requests: tm', reason: 'TooManyRequests', code: 429 },
  ],
  unavailable: [errors.newServiceUnavailable('su'), { message: 'su', reason: 'ServiceUnavailable', code: 503 }],
  'method not supported': [
    errors.newMethodNotSupported(deployments, 'create'),
    {
      message: 'create is not supported on resources of kind "deployments.apps"',
      reason: 'MethodNotAllowed',
      details: { group: 'apps', kind: 'deployments' },
      code: 405,
    },
  ],
  'server timeout': [
    errors.newServerTimeout(deployments, 'list', 2),
    {
      message: 'The list operation against deployments.apps could not be completed at this time, please try again.',
      reason: 'ServerTimeout',
      details: { name: 'list', group: 'apps', kind: 'deployments', retryAfterSeconds: 2 },
      code: 500,
    },
  ],
  timeout: [
    errors.newTimeoutError('t', 3),
    { message: 'Timeout: t', reason: 'Timeout', details: { retryAfterSeconds: 3 }, code: 504 },
  ],
  'internal error': [
    errors.newInternalError(boom),
    {
      message: 'Internal error occurred: boom',
      reason: 'InternalError',
      details: { causes: [{ message: 'boom' }] },
      code: 500,
    },
  ],
  'request too large': [
    errors.newRequestEntityTooLarge('limit is 1'),
    { message: 'Request entity too large: limit is 1', reason: 'RequestEntityTooLarge', code: 413 },
  ],
  'not acceptable': [
    errors.newNotAcceptable(['application/json', 'application/yaml']),
    {
      message: 'only the following media types are accepted: application/json, application/yaml',
      reason: 'NotAcceptable',
      code: 406,
    },
  ],
  'not acceptable as a table': [
    errors.newNotAcceptableConversion('Table.v1.meta.k8s.io', ['application/json']),
    {
      message: 'only the following media types are accepted when converting to Table.v1.meta.k8s.io: application/json',
      reason: 'NotAcceptable',
      code: 406,
    },
  ],
  'unsupported media type': [
    errors.newUnsupportedMediaType(['application/json']),
    {
      message: 'the body of the request was in an unknown format - accepted media types include: application/json',
      reason: 'UnsupportedMediaType',
      code: 415,
    },
  ],
};

describe('constructors', () => {
  it.each(Object.entries(cases))('%s', (_, [error, expected]) => {
    const complete = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', ...expected };
    // Compared as text: keys are in upstream's order, and nothing empty is written.
    expect(JSON.stringify(error.status)).toBe(JSON.stringify(complete));
    expect(error.message).toBe(expected.message);
  });

  it.each([
    ['forbidden', errors.newForbidden(pods, 'x', boom)],
    ['conflict', errors.newConflict(pods, 'x', boom)],
    ['internal error', errors.newInternalError(boom)],
    ['bad request', errors.newBadRequest('br', { cause: boom })],
    ['not found', errors.newNotFound(pods, 'x', { cause: boom })],
  ])('keep what caused them: %s', (_, error) => {
    expect(error.cause).toBe(boom);
  });
});

describe('newGenericServerResponse', () => {
  it.each([
    [302, '', 'the server responded with the status code 302 but did not return more information'],
    [400, 'BadRequest', 'the server rejected our request for an unknown reason'],
    [401, 'Unauthorized', 'the server has asked for the client to provide credentials'],
    [403, 'Forbidden', 'srv'],
    [404, 'NotFound', 'the server could not find the requested resource'],
    [405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource'],
    [406, 'NotAcceptable', 'srv'],
    [409, 'Conflict', 'the server reported a conflict'],
    [415, 'UnsupportedMediaType', 'srv'],
    [418, '', 'the server responded with the status code 418 but did not return more information'],
    [422, 'Invalid', 'the server rejected our request due to an error in our request'],
    [429, 'TooManyRequests', 'the server has received too many requests and has asked us to try again later'],
    [500, 'InternalError', 'an error on the server ("srv") has prevented the request from succeeding'],
    [503, 'ServiceUnavailable', 'the server is currently unable to handle the request'],
    [
      504,
      'Timeout',
      'the server was unable to return a response in the time allotted, but may still be processing the request',
    ],
    [599, 'InternalError', 'an error on the server ("srv") has prevented the request from succeeding'],
  ])('reads a %i', (code, reason, message) => {
    const error = newGenericServerResponse({ code, verb: 'GET', resource: pods, name: 'x', serverMessage: 'srv' });
    expect(error.message).toBe(`${message} (get pods x)`);
    expect([error.code, error.reason, error.details]).toEqual([code, reason, podX]);
  });

  it.each<[string, Parameters<typeof newGenericServerResponse>[0], Expected]>([
    [
      'a conflict on create',
      {
        code: 409,
        verb: 'POST',
        resource: deployments,
        serverMessage: 'srv',
        retryAfterSeconds: 7,
        isUnexpectedResponse: true,
      },
      {
        message: 'the server reported a conflict (post deployments.apps)',
        reason: 'AlreadyExists',
        details: {
          group: 'apps',
          kind: 'deployments',
          causes: [{ reason: 'UnexpectedServerResponse', message: 'srv' }],
          retryAfterSeconds: 7,
        },
        code: 409,
      },
    ],
    [
      'a response without media types',
      { code: 406, verb: 'POST', resource: nothing, name: 'x', serverMessage: 'unknown' },
      {
        message: 'the server was unable to respond with a content type that the client supports',
        reason: 'NotAcceptable',
        details: { name: 'x' },
        code: 406,
      },
    ],
    [
      'an empty response',
      { code: 500, verb: 'PUT', resource: nothing, serverMessage: '', isUnexpectedResponse: true },
      {
        message: 'an error on the server ("") has prevented the request from succeeding',
        reason: 'InternalError',
        details: { causes: [{ reason: 'UnexpectedServerResponse' }] },
        code: 500,
      },
    ],
  ])('describes %s', (_, response, expected) => {
    expect(newGenericServerResponse(response).status).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      ...expected,
    });
  });
});

it('lists no more errors when the message is long enough', () => {
  const list = Array.from({ length: 20_000 }, (_, i) => `item-${i}`);
  const problems = list.map((_, i) => invalid(spec.child('list').index(i), list, 'each quotes the whole list'));
  const { status } = errors.newInvalid(GroupKind.of('', 'Pod'), 'x', problems);
  expect(status.details?.causes).toHaveLength(2);
  expect(status.message?.length).toBeLessThan(1024 * 1024);
});
