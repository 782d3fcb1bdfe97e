import type { GroupVersionKind } from '../meta/group-version.ts';
import { DecodeError } from '../schema/decode-error.ts';
import { quote } from '../strconv/quote.ts';
import { decodeUtf8 } from './utf8.ts';

/** Thrown when data cannot be decoded. The message is upstream's; `cause` is the original error, such as a MissingKindError. */
export class DecodeFailure extends DecodeError {
  override readonly name = 'DecodeFailure';
  /** The kind that the data states, as far as it could be decoded. */
  readonly gvk: GroupVersionKind | undefined;

  constructor(cause: unknown, gvk?: GroupVersionKind) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.gvk = gvk;
  }
}

/** Returns the result of `decode`. An error that it throws becomes the cause of a DecodeFailure. */
export function orDecodeFailure<T>(gvk: GroupVersionKind | undefined, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    throw error instanceof DecodeFailure ? error : new DecodeFailure(error, gvk);
  }
}

/** Returns the message for all errors of strict decoding together. */
export const strictDecodingMessage = (errors: readonly string[]): string =>
  `strict decoding error: ${errors.join(', ')}`;

const summaryLength = 30;

/** Returns the beginning of a body, for an error message. */
function summarize(body: Uint8Array): string {
  if (body.length === 0) return '<empty>';
  const start = body.subarray(0, summaryLength);
  const text =
    body[0] === 0x7b ? decodeUtf8(start) : Array.from(start, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return body.length > summaryLength ? `${text} ...` : text;
}

/** Returns the API server's message, with 400 Bad Request, for a body that is not an object of the expected kind. */
export function badBodyMessage(
  { gvk, message }: Pick<DecodeFailure, 'gvk' | 'message'>,
  expectedKind: string,
  body: Uint8Array,
): string {
  return gvk?.kind
    ? `${gvk.kind} in version ${quote(gvk.version)} cannot be handled as a ${expectedKind}: ${message}`
    : `the object provided is unrecognized (must be of type ${expectedKind}): ${message} (${summarize(body)})`;
}
