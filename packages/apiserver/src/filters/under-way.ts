import { newServiceUnavailable, toStatus } from '@coxswain/apimachinery';
import type { ApiResponse } from '@coxswain/component-base/http';
import type { Filter } from './filter.ts';

/** Counts running requests, so that shutdown can wait for them. */
export class UnderWay {
  #count = 0;
  #closed = false;
  #onIdle: (() => void) | undefined;

  /** Responds with a 503 after `drain`. A watch counts only until its response begins. */
  readonly filter: Filter = (next) => async (state) => {
    if (this.#closed) return shuttingDown();
    this.#count++;
    try {
      return await next(state);
    } finally {
      this.#count--;
      if (this.#count === 0) this.#onIdle?.();
    }
  };

  /** Refuses new requests from now on. Resolves when all running requests have their responses. */
  drain(): Promise<void> {
    this.#closed = true;
    if (this.#count === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onIdle = resolve;
    });
  }
}

function shuttingDown(): ApiResponse {
  return {
    status: 503,
    headers: {
      'content-type': 'application/json',
      'retry-after': '1',
      'x-content-type-options': 'nosniff',
      // The server is shutting down, so the client must not reuse the connection.
      connection: 'close',
    },
    body: Buffer.from(`${JSON.stringify(toStatus(newServiceUnavailable('apiserver is shutting down')))}\n`),
  };
}
