import type { GroupResource } from '../meta/group-version.ts';
import type { KnownStatusReason } from '../meta/status.ts';
import { quote } from '../strconv/quote.ts';
import { type ApiError, failure } from './api-error.ts';

export interface GenericServerResponse {
  code: number;
  /** The HTTP method. */
  verb: string;
  resource: GroupResource;
  name?: string;
  /** The body, possibly truncated. */
  serverMessage: string;
  retryAfterSeconds?: number;
  /** The response is not in the form of the API, so it may not come from an API server. */
  isUnexpectedResponse?: boolean;
}

type Reading = readonly [reason: KnownStatusReason, message: string | ((serverMessage: string) => string)];

const theServersWords = (serverMessage: string): string => serverMessage;

const readings: ReadonlyMap<number, Reading> = new Map<number, Reading>([
  [400, ['BadRequest', 'the server rejected our request for an unknown reason']],
  [401, ['Unauthorized', 'the server has asked for the client to provide credentials']],
  [403, ['Forbidden', theServersWords]],
  [404, ['NotFound', 'the server could not find the requested resource']],
  [405, ['MethodNotAllowed', 'the server does not allow this method on the requested resource']],
  [
    406,
    [
      'NotAcceptable',
      (serverMessage) =>
        serverMessage === '' || serverMessage === 'unknown'
          ? 'the server was unable to respond with a content type that the client supports'
          : serverMessage,
    ],
  ],
  [409, ['Conflict', 'the server reported a conflict']],
  [415, ['UnsupportedMediaType', theServersWords]],
  [422, ['Invalid', 'the server rejected our request due to an error in our request']],
  [429, ['TooManyRequests', 'the server has received too many requests and has asked us to try again later']],
  [503, ['ServiceUnavailable', 'the server is currently unable to handle the request']],
  [
    504,
    [
      'Timeout',
      'the server was unable to return a response in the time allotted, but may still be processing the request',
    ],
  ],
]);

/** Returns an error for an HTTP response without a Status. */
export function newGenericServerResponse(response: GenericServerResponse): ApiError {
  const { code, verb, resource, name = '', serverMessage, retryAfterSeconds, isUnexpectedResponse } = response;
  const [reason, text] = readings.get(code) ?? otherwise(code);
  const message = typeof text === 'string' ? text : text(serverMessage);
  const what = resource.isEmpty ? '' : ` (${verb.toLowerCase()} ${resource}${name && ` ${name}`})`;
  return failure(code, code === 409 && verb === 'POST' ? 'AlreadyExists' : reason, message + what, {
    name,
    group: resource.group,
    kind: resource.resource,
    causes: isUnexpectedResponse
      ? [{ reason: 'UnexpectedServerResponse', ...(serverMessage && { message: serverMessage }) }]
      : [],
    retryAfterSeconds,
  });
}

const otherwise = (code: number): Reading =>
  code >= 500
    ? [
        'InternalError',
        (serverMessage) => `an error on the server (${quote(serverMessage)}) has prevented the request from succeeding`,
      ]
    : ['', `the server responded with the status code ${code} but did not return more information`];
