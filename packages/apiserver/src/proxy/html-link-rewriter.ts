import { Transform, type TransformCallback } from 'node:stream';

/** Which attributes of which elements are links, as upstream has them. */
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

/** Elements whose content is text, whatever it looks like. */
const rawTextElements = new Set(
  'iframe noembed noframes noscript plaintext script style textarea title xmp'.split(' '),
);

/** A longer tag is sent on as it is. */
const maxTagLength = 16 * 1024;

const entities: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['apos', "'"],
  ['gt', '>'],
  ['lt', '<'],
  ['quot', '"'],
]);

/**
 * Rewrites the links of an HTML page while it passes. All else stays byte by byte as it is, in whatever encoding that
 * has ASCII in it. Links that `rewrite` throws for stay too.
 *
 * Differs from upstream, which writes every start tag anew and holds the whole page meanwhile.
 */
export class HtmlLinkRewriter extends Transform {
  readonly #rewrite: (link: string) => string;
  /** What came but could not be told yet: the start of a tag, of a comment's end, of a raw text's end. */
  #pending = '';
  /** What the page is in the middle of ends with this, in lower case; empty outside. */
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

  /** Takes from what is pending all that can be told now, and gives what becomes of it. */
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

  /** Goes on inside a comment, a raw text or a tag that nobody reads. */
  #insideEnd(text: string, at: number): Step {
    const found = indexOfIgnoringCase(text, this.#until, at);
    // The end may be cut by the end of what came so far.
    const end = found < 0 ? Math.max(at, text.length - this.#until.length + 1) : found + this.#until.length;
    if (found >= 0) this.#until = '';
    return { at: end, text: text.slice(at, end) };
  }

  /** Goes on outside, to the end of the next tag at most. */
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
    // A comment's dashes may not serve both its ends, but `<!-->` is a comment to readers of HTML and to this.
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

  /** The new value of an attribute, in quotes; undefined when it stays as it is. */
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
  /** Where to go on. */
  readonly at: number;
  /** What to send for what was passed over. */
  readonly text: string;
}

interface Tag {
  readonly name: string;
  readonly end: number;
  /** Where their values are, quotes included. */
  readonly attributes: readonly { readonly name: string; readonly start: number; readonly end: number }[];
}

/** Reads a start tag; undefined when it does not end. */
function readTag(text: string, open: number): Tag | undefined {
  const attributes: Tag['attributes'][number][] = [];
  const nameEnd = endOf(/[\s/>]/g, text, open + 1);
  let at = nameEnd;
  for (;;) {
    at = endOf(/[^\s/]/g, text, at);
    if (at >= text.length) return undefined;
    if (text[at] === '>') return { name: text.slice(open + 1, nameEnd).toLowerCase(), end: at + 1, attributes };
    // An equals sign at the very start belongs to the name.
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

/** Where the pattern matches first from there on, or the end of the text. */
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

/** Undefined when there is one that is not known here. */
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
