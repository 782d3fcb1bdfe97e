import { Composer, type CST, type Document, Lexer, Parser } from 'yaml';
import { MAX_JSON_DEPTH } from '../../json/depth.ts';
import { DecodeError } from '../../schema/decode-error.ts';
import { tryDecodeUtf8 } from '../utf8.ts';
import { syntaxError, YamlError } from './yaml-error.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that YAML forbids
const controlCharacter = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]/;

/** A stack holds the collections around a token, and a few things more: a document, a pair's key, a scalar. */
const maxStack = MAX_JSON_DEPTH + 8;

/**
 * Reads the first document of a YAML text; what follows it is not looked at, as upstream does. Undefined when there is
 * none. Scalars stay texts. Throws YamlError.
 */
export function composeFirstDocument(input: string | Uint8Array): {
  text: string;
  document: Document.Parsed | undefined;
} {
  const decoded = typeof input === 'string' ? input : tryDecodeUtf8(input);
  if (decoded === undefined) throw new YamlError('yaml: invalid leading UTF-8 octet');
  const text = decoded.replace(/^\ufeff/, '');
  if (controlCharacter.test(text)) throw new YamlError('yaml: control characters are not allowed');
  if (hasMoreLines(text, maxLines)) throw new YamlError(tooManyParts);
  const composer = new Composer({
    version: '1.1',
    schema: 'failsafe',
    merge: false,
    uniqueKeys: false,
    strict: true,
    prettyErrors: false,
    logLevel: 'silent',
  });
  // A text that is no YAML has an error at every piece. Where each was made is of no interest, and costs the most.
  const { stackTraceLimit } = traces;
  traces.stackTraceLimit = 0;
  try {
    // The composer is one token behind: it knows that a document is complete when the next begins.
    for (const document of composer.compose(tokens(text), true, text.length)) {
      const [error] = document.errors;
      if (error) throw syntaxError(text, error);
      return { text, document };
    }
    return { text, document: undefined };
  } catch (error) {
    if (error instanceof DecodeError) throw error;
    throw new YamlError(error instanceof RangeError ? tooDeep : `yaml: ${String(error)}`, { cause: error });
  } finally {
    traces.stackTraceLimit = stackTraceLimit;
  }
}

/** Not every engine has it; on those that have not, it is a property like any other. */
const traces: ErrorConstructor & { stackTraceLimit?: number | undefined } = Error;

/**
 * Every piece of a text costs microseconds, however short it is, and nobody else is served meanwhile. The largest objects
 * that people write have a fifth of these.
 */
const maxLexemes = 250_000;
const maxLines = 250_000;
/** Each is remembered with all that is odd about it. */
const maxDirectives = 100;
const tooManyParts = 'yaml: the document has too many parts';
const tooDeep = `yaml: exceeded max depth of ${MAX_JSON_DEPTH}`;

function hasMoreLines(text: string, lines: number): boolean {
  let left = lines;
  for (let i = text.indexOf('\n'); i !== -1 && left >= 0; i = text.indexOf('\n', i + 1)) left--;
  return left < 0;
}

function* tokens(text: string): Generator<CST.Token, void> {
  const parser = new Parser();
  let lexemes = 0;
  let directives = 0;
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) {
      if (token.type === 'directive') directives++;
      yield token;
    }
    if (parser.stack.length > maxStack) throw new YamlError(tooDeep);
    if (++lexemes > maxLexemes || directives > maxDirectives) throw new YamlError(tooManyParts);
  }
  yield* parser.end();
}
