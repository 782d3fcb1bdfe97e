import { quote } from '@coxswain/apimachinery';
import { CelError } from '../values/values.ts';

/** The parsed text after a `%`. */
export interface FormatClause {
  readonly verb: 's' | 'd' | 'f' | 'e' | 'b' | 'x' | 'X' | 'o';
  /** Undefined when none is given. */
  readonly precision: number | undefined;
}

const verbs: ReadonlySet<string> = new Set(['s', 'd', 'f', 'e', 'b', 'x', 'X', 'o']);
const isVerb = (character: string): character is FormatClause['verb'] => verbs.has(character);

/** A clause of a format string. */
interface FormatPart {
  readonly index: number;
  /** Parses the clause. Must be called before the next part is requested. Throws CelError with upstream's message. */
  clause(): FormatClause;
}

/** Yields the parts of a format string: literal text and clauses. */
export function* formatParts(format: string): Generator<string | FormatPart> {
  let index = 0;
  let end = 0;
  for (let at = format.indexOf('%'); at >= 0; at = format.indexOf('%', end)) {
    yield format.slice(end, at);
    if (format[at + 1] === '%') {
      yield '%';
      end = at + 2;
      continue;
    }
    yield {
      index: index++,
      clause: () => {
        const [clause, next] = parseClause(format, at + 1);
        end = next;
        return clause;
      },
    };
  }
  yield format.slice(end);
}

function parseClause(format: string, start: number): [FormatClause, end: number] {
  if (start >= format.length) throw new CelError('unexpected end of string');
  const problem = (message: string) => new CelError(`could not parse formatting clause: ${message}`);
  let at = start;
  let precision: number | undefined;
  if (format[at] === '.') {
    at++;
    while (/^[0-9]$/.test(format[at] ?? '')) at++;
    if (at >= format.length) {
      throw problem('error while parsing precision: could not find end of precision specifier');
    }
    const digits = format.slice(start + 1, at);
    precision = Number(digits);
    const wrong = digits === '' ? 'invalid syntax' : precision >= 2 ** 63 ? 'value out of range' : undefined;
    if (wrong) {
      const converting = 'error while parsing precision: error while converting precision to integer';
      throw problem(`${converting}: strconv.Atoi: parsing ${quote(digits)}: ${wrong}`);
    }
  }
  const verb = format[at]!;
  if (!isVerb(verb)) {
    // Upstream prints only the first byte of the character.
    const [byte] = Buffer.from(String.fromCodePoint(format.codePointAt(at)!));
    throw problem(`unrecognized formatting clause "${String.fromCharCode(byte!)}"`);
  }
  return [{ verb, precision }, at + 1];
}

/** Returns the message for an argument that a clause does not accept. */
export function wrongArgument(verb: FormatClause['verb'], typeName: string): string {
  return `error during formatting: ${restrictions[verb]}, was given ${typeName}`;
}

const hex = 'only integers, byte buffers, and strings can be formatted as hex';
const restrictions: Readonly<Record<FormatClause['verb'], string>> = {
  b: 'only integers and bools can be formatted as binary',
  d: 'decimal clause can only be used on integers',
  f: 'fixed-point clause can only be used on doubles',
  e: 'scientific clause can only be used on doubles',
  o: 'octal clause can only be used on integers',
  s: 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
  x: hex,
  X: hex,
};
