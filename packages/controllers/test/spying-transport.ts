import type { Transport, TransportRequest, TransportResponse } from '@coxswain/client';

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
}

/** What the API server is to be asked, before it is: everything is written down, and a plan may let requests fail. */
export class SpyingTransport implements Transport {
  readonly requests: SeenRequest[] = [];
  /** Throws what the request is to fail with. */
  plan: (request: SeenRequest) => void | Promise<void> = () => {};
  readonly #inner: Transport;

  constructor(inner: Transport) {
    this.#inner = inner;
  }

  /** Everything but reads, leases and events: what an idle cluster has none of. */
  get writes(): SeenRequest[] {
    return this.requests.filter(({ method, url }) => method !== 'GET' && !/\/(leases|events)(\/|\?|$)/.test(url));
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    const seen = { method: request.method, url: request.url };
    this.requests.push(seen);
    await this.plan(seen);
    return await this.#inner.send(request);
  }

  openWebSocket: Transport['openWebSocket'] = (request) => this.#inner.openWebSocket(request);
  close: Transport['close'] = () => this.#inner.close();
}
