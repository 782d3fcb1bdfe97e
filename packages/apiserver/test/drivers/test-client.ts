import type { StreamingBody } from '@coxswain/component-base/http';
import type { RunningApiServer } from '../../src/index.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests only inspect responses.
export type Json = any;

/** Sends requests in-process as an administrator. Throws an Error for error responses. */
export class TestClient {
  readonly #ask: ReturnType<RunningApiServer['transport']>;

  constructor(server: RunningApiServer) {
    this.#ask = server.transport({ username: 'test', groups: ['system:masters'] });
  }

  get(url: string): Promise<Json> {
    return this.#request('GET', url);
  }

  create(url: string, body: Json): Promise<Json> {
    return this.#request('POST', url, body);
  }

  patch(url: string, body: Json): Promise<Json> {
    return this.#request('PATCH', url, body, 'application/merge-patch+json');
  }

  remove(url: string): Promise<Json> {
    return this.#request('DELETE', url);
  }

  /** Starts a watch. `next` returns the next event. */
  watch(url: string): { next(): Promise<Json>; stop(): void } {
    const abort = new AbortController();
    const events: Json[] = [];
    let wake: () => void = () => {};
    let close: () => void = () => {};
    void this.#ask({ method: 'GET', url, signal: abort.signal }).then(({ body }) =>
      (body as StreamingBody).stream({
        pendingBytes: 0,
        write: (chunk) => {
          for (const line of Buffer.from(chunk).toString().split('\n')) if (line) events.push(JSON.parse(line));
          wake();
          return true;
        },
        onDrain: () => {},
        onClose: (callback) => {
          close = callback;
        },
        end: () => close(),
        destroy: () => close(),
      }),
    );
    return {
      async next() {
        while (events.length === 0) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        return events.shift();
      },
      stop: () => close(),
    };
  }

  async #request(method: string, url: string, body?: Json, contentType = 'application/json'): Promise<Json> {
    const response = await this.#ask({
      method,
      url,
      headers: { 'content-type': contentType },
      ...(body !== undefined && { body: Buffer.from(JSON.stringify(body)) }),
    });
    const text =
      Buffer.isBuffer(response.body) || response.body instanceof Uint8Array
        ? Buffer.from(response.body).toString()
        : '';
    if (response.status >= 300) throw new Error(`${method} ${url}: ${response.status} ${text}`);
    return JSON.parse(text);
  }
}
