import type { ApiRequest, Connection, RequestHeaders } from '../http/handler.ts';

/** A request whose body can be looked at once more when somebody has read it. */
export class RecordedRequest implements ApiRequest {
  readonly #request: ApiRequest;
  /** Absent until somebody read it. */
  body: Uint8Array | undefined;

  constructor(request: ApiRequest) {
    this.#request = request;
  }

  get method(): string {
    return this.#request.method;
  }

  get path(): string {
    return this.#request.path;
  }

  get search(): string {
    return this.#request.search;
  }

  get headers(): RequestHeaders {
    return this.#request.headers;
  }

  get connection(): Connection {
    return this.#request.connection;
  }

  get signal(): AbortSignal {
    return this.#request.signal;
  }

  async readBody(maxBytes: number): Promise<Uint8Array> {
    this.body = await this.#request.readBody(maxBytes);
    return this.body;
  }

  /** What is passed on to others is not recorded. */
  streamBody(): AsyncIterable<Uint8Array> {
    return this.#request.streamBody();
  }
}
