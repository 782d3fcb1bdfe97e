import type { ApiRequest, Connection, RequestHeaders } from '@coxswain/component-base/http';

/** A request that delegates to another one. Subclasses override members. */
export abstract class DelegatedRequest implements ApiRequest {
  protected readonly request: ApiRequest;

  constructor(request: ApiRequest) {
    this.request = request;
  }

  get method(): string {
    return this.request.method;
  }

  get path(): string {
    return this.request.path;
  }

  get search(): string {
    return this.request.search;
  }

  get headers(): RequestHeaders {
    return this.request.headers;
  }

  get connection(): Connection {
    return this.request.connection;
  }

  get signal(): AbortSignal {
    return this.request.signal;
  }

  readBody(maxBytes: number): Promise<Uint8Array> {
    return this.request.readBody(maxBytes);
  }

  streamBody(): AsyncIterable<Uint8Array> {
    return this.request.streamBody();
  }
}
