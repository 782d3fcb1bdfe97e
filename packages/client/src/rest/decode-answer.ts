import { readJson } from '@coxswain/apimachinery/codec/json';
import { ApiError, fromObject, newGenericServerResponse } from '@coxswain/apimachinery/errors';
import { GroupResource } from '@coxswain/apimachinery/meta';
import { readAnswer } from '../lazy-objects/index.ts';
import type { TransportResponse } from '../transport/transport.ts';
import type { RestRequest } from './rest-request.ts';
import { retryAfterSeconds } from './retry-policy.ts';

/** Maximum length of an unknown error body that is quoted; client-go's limit. */
const longestShown = 2048;
const decoder = new TextDecoder();

type Head = Pick<TransportResponse, 'status' | 'headers'>;

/** A successful response whose body is empty, not JSON, or truncated. */
export class MalformedAnswerError extends Error {
  override readonly name = 'MalformedAnswerError';
  readonly status: number;
  readonly contentType: string;

  constructor(message: string, { status, headers }: Head, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
    this.contentType = contentTypeOf(headers);
  }
}

/**
 * Decodes the object of a successful response. Throws a `MalformedAnswerError` when there is none, and an `ApiError`
 * when the object is a Status with a failure. With `lazily`, members of the object may be parsed on first access.
 */
export function decodeAnswer<T>(head: Head, bytes: Uint8Array, lazily = false): T {
  const lazy = lazily ? readAnswer(bytes) : undefined;
  return lazy ? (lazy as T) : decodeText<T>(head, decoder.decode(bytes));
}

/** Like `decodeAnswer`, for text. */
export function decodeText<T>(head: Head, text: string): T {
  const { status, headers } = head;
  if (text.length === 0) {
    const message = `0-length response with status code: ${status} and content type: ${contentTypeOf(headers)}`;
    throw new MalformedAnswerError(message, head);
  }
  let object: unknown;
  try {
    object = readJson(text);
  } catch (cause) {
    const shown = isText(headers) ? `: ${text.slice(0, 200).trim()}` : '';
    const message = `the server answered ${status} with ${contentTypeOf(headers) || 'something'} that is not JSON${shown}`;
    // The parser's message quotes the text, which may be secret.
    throw new MalformedAnswerError(message, head, shown ? { cause } : undefined);
  }
  if (isFailure(object)) throw fromObject(object);
  return object as T;
}

/** Returns the error of an unsuccessful response: from its Status, or a generic one from the HTTP status. */
export function answeredError(request: RestRequest, head: Head, bytes: Uint8Array): ApiError {
  const { status: code, headers } = head;
  try {
    const error = fromObject(readJson(decoder.decode(bytes)));
    if (error instanceof ApiError && error.status.status === 'Failure') return error;
  } catch {
    // Not JSON.
  }
  const serverMessage =
    contentTypeOf(headers) === '' || isText(headers)
      ? decoder.decode(bytes.subarray(0, longestShown)).trim()
      : 'unknown';
  return newGenericServerResponse({
    code,
    verb: request.method,
    resource: request.resource ?? GroupResource.of('', ''),
    ...(request.name && { name: request.name }),
    serverMessage,
    retryAfterSeconds: retryAfterSeconds(head) ?? 0,
    isUnexpectedResponse: true,
  });
}

const contentTypeOf = (headers: Head['headers']): string => String(headers['content-type'] ?? '');

const isText = (headers: Head['headers']): boolean => /^\s*text\//i.test(contentTypeOf(headers));

const isFailure = (object: unknown): boolean =>
  typeof object === 'object' &&
  object !== null &&
  'kind' in object &&
  object.kind === 'Status' &&
  'apiVersion' in object &&
  object.apiVersion === 'v1' &&
  'status' in object &&
  object.status !== 'Success';
