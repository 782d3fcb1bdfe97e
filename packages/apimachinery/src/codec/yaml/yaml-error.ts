import type { YAMLError } from 'yaml';
import { DecodeError } from '../../schema/decode-error.ts';

/** Thrown for a text that is not YAML, or for YAML that JSON cannot represent. The messages are those of Go's library where possible. */
export class YamlError extends DecodeError {
  override readonly name = 'YamlError';
}

const lineAt = (text: string, offset: number): number => {
  let line = 1;
  for (let i = text.indexOf('\n'); i !== -1 && i < offset; i = text.indexOf('\n', i + 1)) line++;
  return line;
};

/** Creates an error at a line. Go's scanner counts lines from 1, its parser from 0; line 0 is not printed. */
const atLine = (line: number, message: string): YamlError =>
  new YamlError(`yaml: ${line > 0 ? `line ${line}: ` : ''}${message}`);

/** Converts a syntax error to one with Go's message. */
export function syntaxError(text: string, { code, message, pos: [start] }: YAMLError): YamlError {
  const scanner = (offset: number, problem: string): YamlError => {
    const line = lineAt(text, offset);
    return atLine(line > 1 ? line : 0, problem);
  };
  // Go's scanner adds a line break at the end of a text that has none.
  const isAtEnd = text.slice(start).trim() === '';
  const end = isAtEnd ? text.length : start;
  const parserLine = lineAt(text, end) - (isAtEnd && !text.endsWith('\n') ? 0 : 1);
  const parser = (problem: string): YamlError => atLine(parserLine, problem);
  const unfinishedFlow = (): YamlError => {
    const before = text.slice(0, start).trimEnd().at(-1) ?? '';
    if ('[{,'.includes(before)) return parser('did not find expected node content');
    return parser(`did not find expected ',' or '${message.startsWith('Flow map') ? '}' : ']'}'`);
  };
  switch (code) {
    case 'BLOCK_AS_IMPLICIT_KEY':
    case 'MULTILINE_IMPLICIT_KEY': {
      const colon = text.slice(start).search(/:(?:\s|$)/);
      return scanner(start + Math.max(colon, 0), 'mapping values are not allowed in this context');
    }
    case 'BLOCK_IN_FLOW':
      return scanner(start, 'block sequence entries are not allowed in this context');
    case 'TAB_AS_INDENT':
    case 'BAD_SCALAR_START':
      return scanner(start, 'found character that cannot start any token');
    case 'BAD_DQ_ESCAPE':
      return scanner(start, 'found unknown escape character');
    case 'BAD_INDENT':
      if (message.includes('sequence items')) return parser("did not find expected '-' indicator");
      if (message.startsWith('Flow')) return unfinishedFlow();
      return parser('did not find expected key');
    case 'MISSING_CHAR':
      if (message.includes('quote')) return scanner(text.length, 'found unexpected end of stream');
      if (message.startsWith('Flow')) return unfinishedFlow();
      return scanner(start, "could not find expected ':'");
    case 'UNEXPECTED_TOKEN':
      return parser('did not find expected <document start>');
    default:
      return parser(message.charAt(0).toLowerCase() + message.slice(1));
  }
}
