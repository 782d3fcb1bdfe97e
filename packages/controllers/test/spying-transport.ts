import type { ResponseBody, Transport, TransportRequest, TransportResponse } from '@coxswain/client';

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
}

/** Records all requests before they are sent. `plan` may make requests fail. */
export class SpyingTransport implements Transport {
  readonly requests: SeenRequest[] = [];
  /** Throws the error that the request is to fail with. */
  plan: (request: SeenRequest) => void | Promise<void> = () => {};
  /** Throws if the response is to be lost: the server has already processed the request. */
  afterwards: (request: SeenRequest) => void = () => {};
  /** Returns a promise that delays the events of a watch, or undefined. */
  heldBack: (request: SeenRequest) => Promise<void> | undefined = () => undefined;
  readonly #inner: Transport;

  constructor(inner: Transport) {
    this.#inner = inner;
  }

  /** All writes except those of leases and events. An idle cluster has none. */
  get writes(): SeenRequest[] {
    return this.requests.filter(({ method, url }) => method !== 'GET' && !/\/(leases|events)(\/|\?|$)/.test(url));
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    const seen = { method: request.method, url: request.url };
    this.requests.push(seen);
    await this.plan(seen);
    const response = await this.#inner.send(request);
    try {
      this.afterwards(seen);
    } catch (error) {
      response.body.cancel();
      throw error;
    }
    if (!/[?&]watch=(1|true)\b/.test(request.url)) return response;
    return { ...response, body: this.#held(response.body, seen) };
  }

  openWebSocket: Transport['openWebSocket'] = (request) => this.#inner.openWebSocket(request);
  close: Transport['close'] = () => this.#inner.close();

  #held(body: ResponseBody, seen: SeenRequest): ResponseBody {
    let isCancelled = false;
    let cancel = (): void => {};
    const cancelled = new Promise<void>((resolve) => {
      cancel = resolve;
    });
    const wait = (): Promise<void> | undefined => this.heldBack(seen);
    return {
      bytes: () => body.bytes(),
      cancel: () => {
        isCancelled = true;
        cancel();
        body.cancel();
      },
      async *chunks() {
        for await (const chunk of body.chunks()) {
          for (let held = wait(); held && !isCancelled; held = wait()) await Promise.race([held, cancelled]);
          if (isCancelled) return;
          yield chunk;
        }
      },
    };
  }
}
