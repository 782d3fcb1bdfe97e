/** A word of a Corefile. */
export interface Token {
  readonly text: string;
  readonly file: string;
  /** The line on which it begins, from 1. */
  readonly line: number;
  /** The line on which it ends: that of a quoted text may be another one. */
  readonly endLine: number;
}

/**
 * Splits a Corefile into words: separated by white space, with double quotes around words that contain it, `\"` in them, and comments from a word that begins with
 * `#` to the end of the line. `{$NAME}` and `{%NAME%}` are replaced by environment variables.
 */
export function tokenize(text: string, file: string, env: Readonly<Record<string, string | undefined>>): Token[] {
  const tokens: Token[] = [];
  let line = 1;
  let at = text.startsWith('\ufeff') ? 1 : 0;
  while (at < text.length) {
    const character = text[at] ?? '';
    if (character === '\n') line++;
    if (/\s/.test(character)) {
      at++;
      continue;
    }
    if (character === '#') {
      while (at < text.length && text[at] !== '\n') at++;
      continue;
    }
    const start = line;
    const { word, end } = character === '"' ? quoted(text, at + 1) : plain(text, at);
    line += text.slice(at, end).split('\n').length - 1;
    at = end;
    tokens.push({ text: withVariables(word, env), file, line: start, endLine: line });
  }
  return tokens;
}

/** A `#` inside of a word begins a comment, too, as in CoreDNS. */
function plain(text: string, start: number): { word: string; end: number } {
  let end = start;
  while (end < text.length && !/[\s#]/.test(text[end] ?? '')) end++;
  return { word: text.slice(start, end), end };
}

function quoted(text: string, start: number): { word: string; end: number } {
  let word = '';
  let at = start;
  while (at < text.length && text[at] !== '"') {
    if (text[at] === '\\' && text[at + 1] === '"') at++;
    word += text[at];
    at++;
  }
  return { word, end: at + 1 };
}

const withVariables = (word: string, env: Readonly<Record<string, string | undefined>>): string =>
  word.replace(
    /\{%([^%]+)%\}|\{\$([^}]+)\}/g,
    (_, windows?: string, unix?: string) => env[windows ?? unix ?? ''] ?? '',
  );
