import { DecodeError } from '../schema/decode-error.ts';
import { quote } from '../strconv/quote.ts';

/** The text is no JSON. The message is that of Go's parser. */
export class JsonSyntaxError extends DecodeError {
  override readonly name = 'JsonSyntaxError';
}

export const unexpectedEnd = (): JsonSyntaxError => new JsonSyntaxError('unexpected end of JSON input');

/**
 * The complaint about the character at `index`. Inside a number, a literal or an escape, Go takes the end of the input
 * for a space.
 */
export function invalidCharacter(text: string, index: number, context: string): JsonSyntaxError {
  const code = text.codePointAt(index) ?? 0x20;
  return new JsonSyntaxError(`invalid character ${quoteByte(firstByte(code))} ${context}`);
}

/** Go looks at bytes, and prints the first byte of a longer character as if it were one itself. */
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
