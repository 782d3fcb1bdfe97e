import { TransportError } from '../transport.ts';

/** Maximum lengths of a response's head, and of a line between chunks. */
const longestHead = 256 * 1024;
const longestLine = 16 * 1024;
const empty = Buffer.alloc(0);

export interface ResponseHead {
  readonly status: number;
  readonly headers: Record<string, string | string[]>;
  /** Whether the connection can be reused after the body. */
  readonly keepAlive: boolean;
}

/** Receives the parsed parts in order. */
export interface ResponseEvents {
  onHead(head: ResponseHead): void;
  onBody(chunk: Buffer): void;
  onEnd(): void;
}

type State = 'idle' | 'head' | 'length' | 'chunk-size' | 'chunk' | 'chunk-end' | 'trailers' | 'until-close';

/** Parses successive responses of an HTTP/1 server from chunks of any size. */
export class Http1ResponseParser {
  readonly #events: ResponseEvents;
  #state: State = 'idle';
  #method = '';
  /** Bytes of an incomplete head or line. */
  #kept: Buffer = empty;
  /** Remaining bytes of the body or chunk. */
  #remaining = 0;

  constructor(events: ResponseEvents) {
    this.#events = events;
  }

  /** Expects a response to a request with this method. */
  begin(method: string): void {
    this.#method = method;
    this.#state = 'head';
  }

  /** Throws a `TransportError` when the bytes are not HTTP, or no response is expected. */
  push(bytes: Buffer): void {
    let rest = this.#kept.length > 0 ? Buffer.concat([this.#kept, bytes]) : bytes;
    this.#kept = empty;
    while (rest.length > 0) {
      const next = this.#step(rest);
      if (next === undefined) {
        this.#kept = rest;
        return;
      }
      rest = next;
    }
  }

  /** To be called when the server has closed its side. Returns whether that completes the response. */
  end(): boolean {
    if (this.#state !== 'until-close') return false;
    this.#finish();
    return true;
  }

  /** Consumes bytes and returns the rest; returns undefined when it needs more bytes. */
  #step(bytes: Buffer): Buffer | undefined {
    switch (this.#state) {
      case 'idle':
        throw malformed('the server sent an unexpected response');
      case 'head':
        return this.#head(bytes);
      case 'length':
      case 'chunk':
        return this.#data(bytes);
      case 'until-close':
        this.#events.onBody(bytes);
        return empty;
      case 'chunk-size':
        return this.#line(bytes, (line) => {
          const [, size] = /^([0-9a-f]{1,8})[\t ]*(?:;.*)?$/i.exec(line) ?? [];
          if (size === undefined) throw malformed('the size of a chunk is invalid');
          this.#remaining = Number.parseInt(size, 16);
          this.#state = this.#remaining === 0 ? 'trailers' : 'chunk';
        });
      case 'chunk-end':
        return this.#line(bytes, (line) => {
          if (line !== '') throw malformed('a chunk is longer than its size');
          this.#state = 'chunk-size';
        });
      case 'trailers':
        return this.#line(bytes, (line) => {
          if (line === '') this.#finish();
        });
    }
  }

  #data(bytes: Buffer): Buffer {
    const taken = bytes.length <= this.#remaining ? bytes : bytes.subarray(0, this.#remaining);
    this.#remaining -= taken.length;
    this.#events.onBody(taken);
    if (this.#remaining === 0) {
      if (this.#state === 'length') this.#finish();
      else this.#state = 'chunk-end';
    }
    return bytes.subarray(taken.length);
  }

  #line(bytes: Buffer, read: (line: string) => void): Buffer | undefined {
    const end = bytes.indexOf(10);
    if (end === -1 || end > longestLine) {
      if (bytes.length > longestLine) throw malformed('a line between chunks is too long');
      return undefined;
    }
    read(bytes.toString('latin1', 0, end > 0 && bytes[end - 1] === 13 ? end - 1 : end));
    return bytes.subarray(end + 1);
  }

  #head(bytes: Buffer): Buffer | undefined {
    const end = bytes.indexOf('\r\n\r\n');
    if (end === -1 || end > longestHead) {
      if (bytes.length > longestHead) throw malformed('the head of the response is too long');
      // Rejects other protocols without waiting for more.
      if (!'HTTP/1.'.startsWith(bytes.toString('latin1', 0, Math.min(7, bytes.length)))) throw notHttp();
      return undefined;
    }
    const text = bytes.toString('utf8', 0, end);
    const rest = bytes.subarray(end + 4);
    const lineEnd = text.indexOf('\r\n');
    const [, minor, code] =
      /^HTTP\/1\.([01]) (\d{3})(?: |$)/.exec(lineEnd === -1 ? text : text.slice(0, lineEnd)) ?? [];
    if (code === undefined) throw notHttp();
    const status = Number(code);
    // An informational response; the final one follows. An upgrade was not requested.
    if (status < 200) {
      if (status === 101) throw malformed('the server switches to another protocol');
      return rest;
    }
    const headers = lineEnd === -1 ? noHeaders() : parseHeaders(text, lineEnd + 2);
    this.#expectBody(status, headers, minor === '1');
    return rest;
  }

  #expectBody(status: number, headers: ResponseHead['headers'], persistent: boolean): void {
    const { connection, 'transfer-encoding': coding, 'content-length': length } = headers;
    let keepAlive = persistent ? !hasToken(connection, 'close') : hasToken(connection, 'keep-alive');
    let end = false;
    if (this.#method === 'HEAD' || status === 204 || status === 304) end = true;
    else if (coding !== undefined) {
      if (String(coding).trim().toLowerCase() !== 'chunked')
        throw malformed('unsupported transfer-encoding of the response');
      // Both headers may indicate request smuggling: the body is read, but the connection is not reused.
      if (length !== undefined) keepAlive = false;
      this.#state = 'chunk-size';
    } else if (length !== undefined) {
      this.#remaining = parseLength(length);
      this.#state = 'length';
      end = this.#remaining === 0;
    } else {
      keepAlive = false;
      this.#state = 'until-close';
    }
    this.#events.onHead({ status, headers, keepAlive });
    if (end) this.#finish();
  }

  #finish(): void {
    this.#state = 'idle';
    this.#events.onEnd();
  }
}

// Names come from the server, so the object has no prototype.
const noHeaders = (): ResponseHead['headers'] => Object.create(null);

function parseHeaders(text: string, from: number): ResponseHead['headers'] {
  const headers = noHeaders();
  for (let start = from; start < text.length; ) {
    let end = text.indexOf('\r\n', start);
    if (end === -1) end = text.length;
    const colon = text.indexOf(':', start);
    if (colon <= start || colon > end) throw malformed('a response header is invalid');
    const name = text.slice(start, colon).toLowerCase();
    if (/[\s]/.test(name)) throw malformed('a response header is invalid');
    const value = text.slice(colon + 1, end).trim();
    const before = headers[name];
    if (before === undefined) headers[name] = value;
    else if (typeof before === 'string') headers[name] = [before, value];
    else before.push(value);
    start = end + 2;
  }
  return headers;
}

function parseLength(value: string | string[]): number {
  const [first, ...others] = typeof value === 'string' ? [value] : value;
  if (!/^\d{1,15}$/.test(first!) || others.some((other) => other !== first)) {
    throw malformed('the content-length of the response is invalid');
  }
  return Number(first);
}

const hasToken = (value: string | string[] | undefined, token: string): boolean =>
  value !== undefined &&
  String(value)
    .toLowerCase()
    .split(',')
    .some((part) => part.trim() === token);

const malformed = (message: string): TransportError => new TransportError(message, { code: 'EPROTO' });
const notHttp = (): TransportError => malformed('the server does not speak HTTP/1.1');
