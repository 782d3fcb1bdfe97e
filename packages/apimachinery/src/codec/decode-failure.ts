import type { GroupVersionKind } from '../meta/group-version.ts';
import { DecodeError } from '../schema/decode-error.ts';
import { quote } from '../strconv/quote.ts';
import { decodeUtf8 } from './utf8.ts';

/** Data that could not be decoded. The message is upstream's; `cause` says more, as a MissingKindError does. */
export class DecodeFailure extends DecodeError {
  override readonly name = 'DecodeFailure';
  /** What the data says it is, as far as that could be read. */
  readonly gvk: GroupVersionKind | undefined;

  constructor(cause: unknown, gvk?: GroupVersionKind) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.gvk = gvk;
  }
}

/** Runs a part of decoding; whatever it throws becomes a DecodeFailure. */
export function orDecodeFailure<T>(gvk: GroupVersionKind | undefined, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    throw error instanceof DecodeFailure ? error : new DecodeFailure(error, gvk);
  }
}

/** The error of strict decoding as a whole. */
export const strictDecodingMessage = (errors: readonly string[]): string =>
  `strict decoding error: ${errors.join(', ')}`;

const summaryLength = 30;

/** The beginning of a body, for an error. */
function summarize(body: Uint8Array): string {
  if (body.length === 0) return '<empty>';
  const start = body.subarray(0, summaryLength);
  const text =
    body[0] === 0x7b ? decodeUtf8(start) : Array.from(start, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return body.length > summaryLength ? `${text} ...` : text;
}

/** What the API server answers to a body that is no object of the expected kind, with 400 Bad Request. */
export function badBodyMessage(
  { gvk, message }: Pick<DecodeFailure, 'gvk' | 'message'>,
  expectedKind: string,
  body: Uint8Array,
): string {
  return gvk?.kind
    ? `${gvk.kind} in version ${quote(gvk.version)} cannot be handled as a ${expectedKind}: ${message}`
    : `the object provided is unrecognized (must be of type ${expectedKind}): ${message} (${summarize(body)})`;
}
