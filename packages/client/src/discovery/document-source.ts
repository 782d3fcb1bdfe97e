import type { CallOptions } from '../rest/call-options.ts';
import { decodeAnswer } from '../rest/decode-answer.ts';
import type { RESTClient } from '../rest/rest-client.ts';

export interface DocumentOptions extends CallOptions {
  /** Accepted media types in order of preference; JSON by default. */
  readonly accept?: string;
  /** Keep the document if the response has an ETag, and send `If-None-Match` the next time. */
  readonly keep?: boolean;
}

/** Source of discovery documents: the server, or a cache in front of it. */
export interface DocumentSource {
  /** Returns the document at a path, which may have a query. */
  get<T>(url: string, options?: DocumentOptions): Promise<T>;
}

interface Kept {
  readonly etag: string;
  readonly document: unknown;
}

/** Requests every document from the server. */
export class ServerDocuments implements DocumentSource {
  readonly #rest: RESTClient;
  /** Documents with `keep`, by media type and URL. The callers bound their number. */
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
