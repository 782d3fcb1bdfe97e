import { parseJson } from '../codec/json.ts';
import { hasDuplicateKeys } from '../codec/strict-fields.ts';
import { decodeUtf8 } from '../codec/utf8.ts';
import { messageOf } from '../errors/message-of.ts';
import { assertJsonDepth } from '../json/depth.ts';
import { isJsonObject } from '../json/own-entry.ts';
import { canonicalBase64, decodeBase64 } from '../schema/base64.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** A parsed token. Nothing in it can be trusted before its signature is verified. */
export interface UnverifiedJwt {
  readonly header: JsonObject;
  readonly claims: JsonObject;
  /** The part of the token that is signed. */
  readonly input: string;
  readonly signature: Uint8Array;
}

/** Longer tokens are refused: no request header is as long. */
const maxTokenLength = 128 * 1024;

/**
 * Parses a compact token. Returns undefined when it is malformed: it must have three parts in base64url, of which the first two are JSON
 * objects without duplicate keys. Never throws.
 *
 * Differs from upstream: base64 with bits beyond its end or with line breaks is not accepted, nor is white space around a token;
 * duplicate claims are refused in tokens of OpenID Connect, too, where upstream uses the last one.
 */
export function parseJwt(token: string): UnverifiedJwt | undefined {
  const parts = partsOf(token);
  if (!parts) return undefined;
  const [head, payload, tail] = parts;
  const header = parseObject(head);
  const claims = parseObject(payload);
  const signature = decodeBase64Url(tail);
  if (!header || !claims || !signature) return undefined;
  return { header, claims, input: token.slice(0, head.length + 1 + payload.length), signature };
}

/** Returns the claims of a token without looking at its header and signature; undefined when there are none. Never throws. */
export function unverifiedClaims(token: string): JsonObject | undefined {
  const parts = partsOf(token);
  return parts && parseObject(parts[1]);
}

/** Returns why the header of a token is not JSON, in Go's words; undefined when it is JSON, or not even base64url. */
export function headerProblem(token: string): string | undefined {
  const bytes = decodeBase64Url(partsOf(token)?.[0] ?? '');
  if (!bytes) return undefined;
  try {
    parseJson(bytes);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

function partsOf(token: string): readonly [string, string, string] | undefined {
  if (token.length > maxTokenLength) return undefined;
  const [header, payload, signature, ...more] = token.split('.', 4);
  if (header === undefined || payload === undefined || signature === undefined || more.length > 0) return undefined;
  return [header, payload, signature];
}

/** Decodes base64url without padding. Returns undefined when it is malformed or has bits beyond its end. */
function decodeBase64Url(part: string): Uint8Array | undefined {
  if (part.length % 4 === 1 || !/^[A-Za-z0-9_-]*$/.test(part)) return undefined;
  const padded = part.replaceAll('-', '+').replaceAll('_', '/') + '='.repeat((4 - (part.length % 4)) % 4);
  return canonicalBase64(padded) === padded ? decodeBase64(padded) : undefined;
}

function parseObject(part: string): JsonObject | undefined {
  const bytes = decodeBase64Url(part);
  if (!bytes) return undefined;
  try {
    const value: unknown = JSON.parse(decodeUtf8(bytes));
    assertJsonDepth(value);
    return isJsonObject(value) && !hasDuplicateKeys(bytes, value) ? value : undefined;
  } catch {
    return undefined;
  }
}
