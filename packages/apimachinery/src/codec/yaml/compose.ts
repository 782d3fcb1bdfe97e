import { Composer, type CST, type Document, Lexer, Parser } from 'yaml';
import { MAX_JSON_DEPTH } from '../../json/depth.ts';
import { DecodeError } from '../../schema/decode-error.ts';
import type { Steps } from '../../steps/index.ts';
import { tryDecodeUtf8 } from '../utf8.ts';
import { composerOptions, defaultPartTokens, PartComposer, quietly } from './compose-in-parts.ts';
import { syntaxError, YamlError } from './yaml-error.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that YAML forbids
const controlCharacter = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]/;

/** The parser's stack holds the collections around a token and a few more entries: the document, a pair's key, a scalar. */
const maxStack = MAX_JSON_DEPTH + 8;

export interface ComposedYaml {
  readonly text: string;
  readonly document: Document.Parsed | undefined;
}

/**
 * Composes the first document of a YAML text. As upstream, the text after it is not examined. The document is undefined when there is
 * none. Scalars stay strings. Throws YamlError.
 */
export function* composeFirstDocument(input: string | Uint8Array, partTokens = defaultPartTokens): Steps<ComposedYaml> {
  const decoded = typeof input === 'string' ? input : tryDecodeUtf8(input);
  if (decoded === undefined) throw new YamlError('yaml: invalid leading UTF-8 octet');
  const text = decoded.replace(/^\ufeff/, '');
  if (controlCharacter.test(text)) throw new YamlError('yaml: control characters are not allowed');
  if (occursMoreOften(text, '\n', maxLines) || occursMoreOften(text, '\\', maxEscapes))
    throw new YamlError(tooManyParts);
  yield;
  try {
    return { text, document: yield* compose(text, partTokens) };
  } catch (error) {
    if (error instanceof DecodeError) throw error;
    throw new YamlError(error instanceof RangeError ? tooDeep : `yaml: ${String(error)}`, { cause: error });
  }
}

function* compose(text: string, partTokens: number): Steps<Document.Parsed | undefined> {
  const composer = new Composer({ ...composerOptions, keepSourceTokens: true });
  const directives: CST.Directive[] = [];
  let parts: PartComposer | undefined;
  // The composer is one token behind: a document is complete when the next one begins.
  const composed = function* (found: CST.Token | undefined): Steps<Document.Parsed | undefined> {
    let token = found;
    if (!parts && token?.type === 'directive') directives.push(token);
    if (token?.type === 'document') {
      if (parts) token = { type: 'document', offset: token.offset, start: [] };
      else {
        parts = new PartComposer(directives, partTokens);
        parts.detach(token);
        yield;
      }
    }
    const next = quietly(() => (token ? composer.next(token) : composer.end(true, text.length)).next());
    if (next.done) return undefined;
    const document = next.value;
    const [error = yield* parts?.complete(document) ?? nothing()] = document.errors;
    if (error) throw syntaxError(text, error);
    return document;
  };
  const parser = new Parser();
  let lexemes = 0;
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) {
      const document = yield* composed(token);
      if (document) return document;
    }
    if (parser.stack.length > maxStack) throw new YamlError(tooDeep);
    if (lexeme.length > maxLexemeLength) throw new YamlError(tooLong);
    if (++lexemes > maxLexemes || directives.length > maxDirectives) throw new YamlError(tooManyParts);
    if (lexemes % lexemesBetweenYields === 0) yield;
  }
  for (const token of parser.end()) {
    const document = yield* composed(token);
    if (document) return document;
  }
  return yield* composed(undefined);
}

// biome-ignore lint/correctness/useYield: there is nothing to do
function* nothing(): Steps<undefined> {
  return undefined;
}

const lexemesBetweenYields = 256;
/**
 * The maximum number of lexemes. Each costs microseconds, however short it is. The largest objects that people write have a fifth of this
 * number.
 */
const maxLexemes = 250_000;
/** The lines and the escapes of one scalar are processed in one go. */
const maxLines = 100_000;
const maxEscapes = 250_000;
/** The composer keeps every directive together with its warnings. */
const maxDirectives = 100;
/** Quoted scalars are lexed character by character. No object is larger than this. */
const maxLexemeLength = 1.5 * 1024 * 1024;
const tooLong = 'yaml: a part of the document is too long';
const tooManyParts = 'yaml: the document has too many parts';
const tooDeep = `yaml: exceeded max depth of ${MAX_JSON_DEPTH}`;

function occursMoreOften(text: string, character: string, times: number): boolean {
  let left = times;
  for (let i = text.indexOf(character); i !== -1 && left >= 0; i = text.indexOf(character, i + 1)) left--;
  return left < 0;
}
