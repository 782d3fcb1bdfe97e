import { newServiceUnavailable, toStatus } from '@coxswain/apimachinery';
import type { ApiResponse } from '@coxswain/component-base/http';
import type { Filter } from './filter.ts';

/** Counts the requests that are being answered, so that a server that stops can wait for them. */
export class UnderWay {
  #count = 0;
  #closed = false;
  #onIdle: (() => void) | undefined;

  /** Whoever comes after `drain` is sent away. A watch has its answer as soon as it begins. */
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

  /** Lets nobody in any more. Resolves when all who are in have their answers. */
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
      // What is left of the server is of no use to this client.
      connection: 'close',
    },
    body: Buffer.from(`${JSON.stringify(toStatus(newServiceUnavailable('apiserver is shutting down')))}\n`),
  };
}
