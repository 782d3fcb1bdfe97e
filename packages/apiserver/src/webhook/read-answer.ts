import {
  type ApiError,
  fromStatus,
  GroupResource,
  isJsonObject,
  newGenericServerResponse,
  parseContentType,
  parseJson,
  parseYaml,
  type Status,
} from '@coxswain/apimachinery';
import { messageOf } from '@coxswain/apimachinery/errors';
import type { Answer } from './connection-pool.ts';
import { WebhookCallError } from './webhook-error.ts';

/** The length up to which errors quote a text response that is not a Status. */
const maxShownBytes = 2048;

/** Parses a response as upstream's client does. Throws a WebhookCallError for errors and invalid responses. */
export function readAnswer({ status, headers, body }: Answer): unknown {
  const contentType = headers['content-type'] ?? '';
  if (status < 200 || status > 206) throw asError(refusal(status, headers, contentType, body));
  if (body.length === 0)
    throw new WebhookCallError(
      `0-length response with status code: ${status} and content type: ${contentType || 'application/json'}`,
      'answer',
    );
  return parsed(body);
}

const asError = (error: ApiError): WebhookCallError =>
  new WebhookCallError(error.message, 'status', { cause: error, status: error });

function refusal(code: number, headers: Answer['headers'], contentType: string, body: Buffer): ApiError {
  const stated = body.length > 0 ? statedFailure(body) : undefined;
  if (stated) return stated;
  const isText = contentType === '' || (parseContentType(contentType)?.startsWith('text/') ?? false);
  const serverMessage = isText ? body.subarray(0, maxShownBytes).toString().trim() : 'unknown';
  return newGenericServerResponse({
    code,
    verb: 'POST',
    resource: GroupResource.of('', ''),
    serverMessage,
    retryAfterSeconds: retryAfterSeconds(headers) ?? 0,
    isUnexpectedResponse: true,
  });
}

function statedFailure(body: Buffer): ApiError | undefined {
  try {
    const value = parseJson(body).value;
    return isStatus(value) && value.status === 'Failure' ? fromStatus(value) : undefined;
  } catch {
    return undefined;
  }
}

/** The maximum length of YAML, because parsing it is slow. Longer responses are parsed as JSON. */
const maxYamlBytes = 64 * 1024;

/** Parses JSON, or, as upstream, YAML when the text does not begin with a brace. */
function parsed(body: Buffer): unknown {
  const isObject = body.length > maxYamlBytes || /^\s*\{/.test(body.subarray(0, 64).toString('latin1'));
  try {
    return isObject ? parseJson(body).value : parseYaml(body).value;
  } catch (cause) {
    const message = messageOf(cause);
    const said = isObject ? `couldn't get version/kind; json parse error: ${message}` : message;
    throw new WebhookCallError(said, 'answer', { cause });
  }
}

const isStatus = (value: unknown): value is Status =>
  isJsonObject(value) && value.kind === 'Status' && value.apiVersion === 'v1' && isText(value.message);

const isText = (value: unknown): boolean => value === undefined || typeof value === 'string';

/** Returns the seconds in the Retry-After header, or undefined. */
export function retryAfterSeconds(headers: Answer['headers']): number | undefined {
  const header = headers['retry-after'] ?? '';
  return /^\d{1,9}$/.test(header) ? Number(header) : undefined;
}
