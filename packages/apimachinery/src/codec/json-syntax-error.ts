import { DecodeError } from '../schema/decode-error.ts';
import { quote } from '../strconv/quote.ts';

/** Thrown for a text that is not JSON. The message is that of Go's parser. */
export class JsonSyntaxError extends DecodeError {
  override readonly name = 'JsonSyntaxError';
}

export const unexpectedEnd = (): JsonSyntaxError => new JsonSyntaxError('unexpected end of JSON input');

/**
 * Returns the error about the character at `index`. Inside a number, a literal or an escape, Go reports the end of the input as a space.
 */
export function invalidCharacter(text: string, index: number, context: string): JsonSyntaxError {
  const code = text.codePointAt(index) ?? 0x20;
  return new JsonSyntaxError(`invalid character ${quoteByte(firstByte(code))} ${context}`);
}

/** Go reports bytes: it prints the first byte of a multi-byte character as if it were a character. */
function firstByte(code: number): number {
  if (code < 0x80) return code;
  if (code < 0x800) return 0xc0 | (code >> 6);
  return code < 0x10000 ? 0xe0 | (code >> 12) : 0xf0 | (code >> 18);
}

function quoteByte(byte: number): string {
  const character = String.fromCharCode(byte);
  if (character === "'") return "'\\''";
  return character === '"' ? `'"'` : `'${quote(character).slice(1, -1)}'`;
}
