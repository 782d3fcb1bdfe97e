import { isJsonObject } from './own-entry.ts';

const comma = 0x2c;
const openingBracket = 0x5b;
const openingBrace = 0x7b;
const doubleQuote = 0x22;
const backslash = 0x5c;

/**
 * Whether a JSON text has more than `limit` parts: commas and opening brackets and braces, outside of strings. Besides the length, they
 * determine the time to parse it. The parts of a text that is not JSON are counted, too.
 */
export function hasMoreJsonParts(json: Uint8Array, limit: number): boolean {
  if (json.length <= limit) return false;
  let parts = 0;
  for (let i = 0; i < json.length; i++) {
    const byte = json[i]!;
    if (byte === doubleQuote) {
      for (i++; json[i] !== doubleQuote && i < json.length; i++) if (json[i] === backslash) i++;
    } else if (byte === comma || byte === openingBracket || byte === openingBrace) {
      if (++parts > limit) return true;
    }
  }
  return false;
}

/**
 * Whether a value has more than `limit` parts: objects, lists, and their members and items. An item that is a scalar counts half, because
 * it costs least. Stops counting at the limit.
 */
export function hasMoreParts(value: unknown, limit: number): boolean {
  const pending: unknown[] = [value];
  let parts = 0;
  for (let current = pending.pop(); current !== undefined; current = pending.pop()) {
    parts++;
    if (Array.isArray(current)) {
      for (let i = 0; i < current.length && parts <= limit; i++) {
        if (isContainer(current[i])) {
          parts++;
          pending.push(current[i]);
        } else parts += 0.5;
      }
    } else if (isJsonObject(current)) {
      for (const key in current) {
        if (++parts > limit) return true;
        if (isContainer(current[key])) pending.push(current[key]);
      }
    }
    if (parts > limit) return true;
  }
  return false;
}

const isContainer = (value: unknown): boolean => typeof value === 'object' && value !== null;
