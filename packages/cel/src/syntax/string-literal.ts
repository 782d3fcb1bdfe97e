const ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  '"': '"',
  "'": "'",
  '`': '`',
  '?': '?',
};

interface Body {
  readonly text: string;
  readonly isRaw: boolean;
}

/** Strips prefix and quotes of a string token. Carriage returns are normalized as in cel-go. */
function body(token: string): Body {
  let text = token.replaceAll('\r\n', '\n').replaceAll('\r', '\n');
  const isRaw = text[0] === 'r' || text[0] === 'R';
  if (isRaw) text = text.slice(1);
  const quotes = text.length >= 6 && (text.startsWith('"""') || text.startsWith("'''")) ? 3 : 1;
  return { text: text.slice(quotes, -quotes), isRaw };
}

/** Returns the value of a string token. Throws an Error with upstream's message for an invalid escape. */
export function unquoteString(token: string): string {
  const { text, isRaw } = body(token);
  if (isRaw || !text.includes('\\')) return text;
  let out = '';
  for (const part of parts(text)) out += typeof part === 'string' ? part : codePoint(part.value);
  return out;
}

/** Returns the value of a bytes token without its `b`. `\x` and octal escapes denote bytes; `\u` is not allowed. */
export function unquoteBytes(token: string): Uint8Array {
  const { text, isRaw } = body(token);
  if (isRaw || !text.includes('\\')) return Buffer.from(text);
  const chunks: Buffer[] = [];
  for (const part of parts(text)) {
    if (typeof part === 'string') chunks.push(Buffer.from(part));
    else if (part.isUnicode) throw new Error('unable to unescape string');
    else chunks.push(Buffer.from([part.value]));
  }
  return new Uint8Array(Buffer.concat(chunks));
}

function codePoint(value: number): string {
  if (value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) throw new Error('invalid unicode code point');
  return String.fromCodePoint(value);
}

interface NumericEscape {
  readonly value: number;
  readonly isUnicode: boolean;
}

function* parts(text: string): Generator<string | NumericEscape> {
  let at = 0;
  while (at < text.length) {
    const backslash = text.indexOf('\\', at);
    if (backslash < 0) {
      yield text.slice(at);
      return;
    }
    if (backslash > at) yield text.slice(at, backslash);
    const kind = text[backslash + 1] ?? '';
    const simple = Object.hasOwn(ESCAPES, kind) ? ESCAPES[kind] : undefined;
    at = backslash + 2;
    if (simple !== undefined) {
      yield simple;
      continue;
    }
    const digits = kind === 'u' ? 4 : kind === 'U' ? 8 : kind === 'x' || kind === 'X' ? 2 : 0;
    if (digits > 0) {
      yield { value: Number.parseInt(text.slice(at, at + digits), 16), isUnicode: kind === 'u' || kind === 'U' };
      at += digits;
    } else {
      yield { value: Number.parseInt(text.slice(at - 1, at + 2), 8), isUnicode: false };
      at += 2;
    }
  }
}
