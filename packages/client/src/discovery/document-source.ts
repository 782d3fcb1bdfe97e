import type { CallOptions } from '../rest/call-options.ts';
import { decodeAnswer } from '../rest/decode-answer.ts';
import type { RESTClient } from '../rest/rest-client.ts';

export interface DocumentOptions extends CallOptions {
  /** Media types, the best first; JSON when not given. */
  readonly accept?: string;
  /** Keep the document, where the server gives it an ETag, and next time ask for no more than whether it has changed. */
  readonly keep?: boolean;
}

/** Where discovery's documents come from: the server, or a cache before it. */
export interface DocumentSource {
  /** What is at a path, which may have a query. */
  get<T>(url: string, options?: DocumentOptions): Promise<T>;
}

interface Kept {
  readonly etag: string;
  readonly document: unknown;
}

/** Asks the server each time. */
export class ServerDocuments implements DocumentSource {
  readonly #rest: RESTClient;
  /** By path and media type: as many as are to be kept. */
  readonly #kept = new Map<string, Kept>();

  constructor(rest: RESTClient) {
    this.#rest = rest;
  }

  async get<T>(
    url: string,
    { accept = 'application/json', keep = false, ...options }: DocumentOptions = {},
  ): Promise<T> {
    const [path = '', search = ''] = url.split('?', 2);
    const key = `${accept} ${url}`;
    const kept = this.#kept.get(key);
    const response = await this.#rest.raw({
      method: 'GET',
      path,
      query: Object.fromEntries(new URLSearchParams(search)),
      headers: { accept, ...(kept && { 'if-none-match': kept.etag }) },
      ...options,
    });
    if (response.status === 304 && kept) return kept.document as T;
    const document = decodeAnswer<T>(response, response.bytes);
    const { etag } = response.headers;
    if (keep && typeof etag === 'string') this.#kept.set(key, { etag, document });
    else this.#kept.delete(key);
    return document;
  }
}
