import { Transform, type TransformCallback } from 'node:stream';

/** The attributes that are links, by element, as upstream. */
const linkAttributes: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    a: 'href',
    applet: 'codebase',
    area: 'href',
    audio: 'src',
    base: 'href',
    blockquote: 'cite',
    body: 'background',
    button: 'formaction',
    command: 'icon',
    del: 'cite',
    embed: 'src',
    form: 'action',
    frame: 'longdesc src',
    head: 'profile',
    html: 'manifest',
    iframe: 'longdesc src',
    img: 'longdesc src usemap',
    input: 'src usemap formaction',
    ins: 'cite',
    link: 'href',
    object: 'classid codebase data usemap',
    q: 'cite',
    script: 'src',
    source: 'src',
    video: 'poster src',
  }).map(([element, attributes]) => [element, attributes.split(' ')]),
);

/** Elements whose content is raw text, so tags in it are not parsed. */
const rawTextElements = new Set(
  'iframe noembed noframes noscript plaintext script style textarea title xmp'.split(' '),
);

/** Longer tags are not rewritten. */
const maxTagLength = 16 * 1024;

const entities: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['apos', "'"],
  ['gt', '>'],
  ['lt', '<'],
  ['quot', '"'],
]);

/**
 * Rewrites the links of an HTML page as a stream. Everything else stays unchanged, byte for byte, in any encoding that is a superset
 * of ASCII. Links for which `rewrite` throws stay unchanged, too.
 *
 * Differs from upstream, which buffers the whole page and serializes every start tag again.
 */
export class HtmlLinkRewriter extends Transform {
  readonly #rewrite: (link: string) => string;
  /** Received text that cannot be processed yet: the start of a tag, or of the end of a comment or raw text. */
  #pending = '';
  /** The end of the current comment, raw text or skipped tag, in lower case. Empty outside of these. */
  #until = '';

  constructor(rewrite: (link: string) => string) {
    super();
    this.#rewrite = rewrite;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#pending += chunk.toString('latin1');
    this.#send(this.#consume());
    done();
  }

  override _flush(done: TransformCallback): void {
    this.#send(this.#pending);
    done();
  }

  #send(text: string): void {
    if (text !== '') this.push(Buffer.from(text, 'latin1'));
  }

  /** Processes as much of the pending text as possible, and returns the output. */
  #consume(): string {
    const text = this.#pending;
    let sent = '';
    let at = 0;
    while (at < text.length) {
      const end = this.#until === '' ? this.#markup(text, at) : this.#insideEnd(text, at);
      sent += end.text;
      if (end.at === at && end.text === '') break;
      at = end.at;
    }
    this.#pending = text.slice(at);
    return sent;
  }

  /** Continues inside a comment, raw text or skipped tag. */
  #insideEnd(text: string, at: number): Step {
    const found = indexOfIgnoringCase(text, this.#until, at);
    // The end marker may be split between chunks.
    const end = found < 0 ? Math.max(at, text.length - this.#until.length + 1) : found + this.#until.length;
    if (found >= 0) this.#until = '';
    return { at: end, text: text.slice(at, end) };
  }

  /** Continues outside, up to the end of the next tag. */
  #markup(text: string, at: number): Step {
    const open = text.indexOf('<', at);
    if (open < 0) return { at: text.length, text: text.slice(at) };
    if (open > at) return { at: open, text: text.slice(at, open) };
    if (text.length - open < '<!--'.length && !/[a-z]/i.test(text[open + 1] ?? '')) return { at, text: '' };
    if (text.startsWith('<!--', open)) return this.#skip(text, open, '-->');
    if (/[!?/]/.test(text[open + 1]!)) return this.#skip(text, open, '>');
    if (!/[a-z]/i.test(text[open + 1]!)) return { at: open + 1, text: '<' };

    const tag = readTag(text, open);
    if (tag === undefined) return text.length - open > maxTagLength ? this.#skip(text, open, '>') : { at, text: '' };
    if (rawTextElements.has(tag.name)) this.#until = `</${tag.name}`;
    return { at: tag.end, text: this.#rewriteTag(text, open, tag) };
  }

  #skip(text: string, open: number, until: string): Step {
    this.#until = until;
    // Continue after `<!`, so that `<!-->` is a complete comment, as in HTML parsers.
    const end = open + 2;
    return { at: end, text: text.slice(open, end) };
  }

  #rewriteTag(text: string, open: number, tag: Tag): string {
    const links = linkAttributes.get(tag.name);
    let rewritten = '';
    let at = open;
    for (const { name, start, end } of links ? tag.attributes : []) {
      if (!links?.includes(name)) continue;
      const value = this.#rewriteValue(text.slice(start, end));
      if (value === undefined) continue;
      rewritten += `${text.slice(at, start)}${value}`;
      at = end;
    }
    return rewritten + text.slice(at, tag.end);
  }

  /** Returns the new value of an attribute, in quotes, or undefined when it is unchanged. */
  #rewriteValue(raw: string): string | undefined {
    const link = decodeEntities(raw.replace(/^(["'])(.*)\1$/s, '$2'));
    if (link === undefined) return undefined;
    const utf8 = Buffer.from(link, 'latin1').toString('utf8');
    try {
      const rewritten = this.#rewrite(utf8);
      return rewritten === utf8 ? undefined : `"${encodeEntities(rewritten)}"`;
    } catch {
      return undefined;
    }
  }
}

interface Step {
  /** The position at which to continue. */
  readonly at: number;
  /** The output for the text up to there. */
  readonly text: string;
}

interface Tag {
  readonly name: string;
  readonly end: number;
  /** The positions of their values, with quotes. */
  readonly attributes: readonly { readonly name: string; readonly start: number; readonly end: number }[];
}

/** Parses a start tag. Returns undefined when it is incomplete. */
function readTag(text: string, open: number): Tag | undefined {
  const attributes: Tag['attributes'][number][] = [];
  const nameEnd = endOf(/[\s/>]/g, text, open + 1);
  let at = nameEnd;
  for (;;) {
    at = endOf(/[^\s/]/g, text, at);
    if (at >= text.length) return undefined;
    if (text[at] === '>') return { name: text.slice(open + 1, nameEnd).toLowerCase(), end: at + 1, attributes };
    // As in HTML, an equals sign at the start belongs to the attribute name.
    const attributeEnd = endOf(/[\s/>=]/g, text, at + 1);
    const name = text.slice(at, attributeEnd).toLowerCase();
    at = attributeEnd;
    const equals = endOf(/\S/g, text, at);
    if (text[equals] !== '=') continue;
    const start = endOf(/\S/g, text, equals + 1);
    const quote = text[start];
    if (quote === '"' || quote === "'") {
      const closing = text.indexOf(quote, start + 1);
      if (closing < 0) return undefined;
      at = closing + 1;
    } else {
      at = endOf(/[\s>]/g, text, start);
    }
    attributes.push({ name, start, end: at });
  }
}

/** Returns the position of the first match from `from` on, or the end of the text. */
function endOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.exec(text)?.index ?? text.length;
}

function indexOfIgnoringCase(text: string, lowerCase: string, from: number): number {
  for (let at = text.indexOf(lowerCase[0]!, from); at >= 0; at = text.indexOf(lowerCase[0]!, at + 1)) {
    if (text.slice(at, at + lowerCase.length).toLowerCase() === lowerCase) return at;
  }
  return -1;
}

/** Decodes entities. Returns undefined when there is an unknown one. */
function decodeEntities(raw: string): string | undefined {
  let isKnown = true;
  const decoded = raw.replace(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z][a-z0-9]{1,30}));/gi,
    (whole, decimal, hex, name) => {
      const code = decimal ? Number(decimal) : hex ? Number.parseInt(hex, 16) : undefined;
      const character = code === undefined ? entities.get(name) : code < 0x80 ? String.fromCharCode(code) : undefined;
      if (character === undefined) isKnown = false;
      return character ?? whole;
    },
  );
  return isKnown ? decoded : undefined;
}

const encodeEntities = (text: string): string =>
  Buffer.from(text, 'utf8')
    .toString('latin1')
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&#34;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
