import { messageOf } from '@coxswain/apimachinery/errors';
import { type CelValue, Uint } from '../values/values.ts';
import type { Token } from './lexer.ts';
import { unquoteBytes, unquoteString } from './string-literal.ts';
import type { TokenReader } from './token-reader.ts';

/** The maximum length of a number; longer ones are out of range. */
const MAX_DIGITS = 400;

/** The kinds of tokens that are literals. */
export const LITERAL_KINDS: ReadonlySet<string> = new Set(
  'NUM_INT NUM_UINT NUM_FLOAT STRING BYTES true false null'.split(' '),
);

/**
 * Returns the value of a literal token. `sign` is `-` or empty, `start` is the first token of the literal. Errors are
 * reported.
 */
export function literalValue(reader: TokenReader, start: Token, sign: string, token: Token): CelValue {
  const text = reader.text(token);
  switch (token.kind) {
    case 'NUM_INT': {
      const value = sign === '' ? integer(text) : -integer(text);
      if (BigInt.asIntN(64, value) !== value) reader.problem(start.start, 'invalid int literal');
      return value;
    }
    case 'NUM_UINT': {
      const value = integer(text.slice(0, -1));
      if (BigInt.asUintN(64, value) !== value) reader.problem(start.start, 'invalid uint literal');
      return new Uint(value);
    }
    case 'NUM_FLOAT': {
      const value = Number(sign + text);
      if (!Number.isFinite(value)) reader.problem(start.start, 'invalid double literal');
      return value;
    }
    case 'STRING':
      return unquote(reader, token, () => unquoteString(text)) ?? '';
    case 'BYTES':
      return unquote(reader, token, () => unquoteBytes(text.slice(1))) ?? '';
    case 'true':
    case 'false':
      return token.kind === 'true';
    case 'null':
      return null;
  }
  return reader.syntaxError(`no viable alternative at input '${sign}${token.kind === '<EOF>' ? '' : text}'`, token);
}

function integer(digits: string): bigint {
  const significant = digits.startsWith('0x') ? digits : digits.replace(/^0+(?=.)/, '');
  return significant.length > MAX_DIGITS ? 2n ** 64n : BigInt(significant);
}

function unquote<T>(reader: TokenReader, token: Token, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    reader.problem(token.start, messageOf(error));
    return undefined;
  }
}
