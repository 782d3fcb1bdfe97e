import { asApiError, isGone, isResourceExpired, isTooManyRequests } from '@coxswain/apimachinery/errors';
import { escapeValue } from '@coxswain/apimachinery/fields';
import type { KubernetesObject, ListOptions } from '@coxswain/apimachinery/meta';
import { systemClock } from '../clock/clock.ts';
import { sleep } from '../clock/sleep.ts';
import type { ResourceInterface } from '../rest/resource-interface.ts';
import type { Watch } from '../watch/watch.ts';
import { backoffDelays } from './backoff.ts';
import { childSignal } from './child-signal.ts';
import type { WaitOptions } from './wait-options.ts';
import { WaitTimeoutError } from './wait-timeout-error.ts';

/** Whether the object is as it should be; undefined stands for its absence. What it throws ends the wait. */
export type ObjectCondition<T> = (object: T | undefined) => boolean | Promise<boolean>;

export interface UntilWithSyncOptions extends WaitOptions {
  /** By default there is none. */
  readonly timeoutMs?: number;
  readonly random?: () => number;
}

/** After a failure, and after a watch that ended without news. */
const retryBackoff = { durationMs: 200, factor: 2, jitter: 0.5, steps: 10, capMs: 10_000 };

/**
 * Waits until one object meets a condition, as `kubectl wait` does: reads it, then watches it. Resolves with the object
 * as it then is, undefined when it is absent and that is what the condition wanted.
 *
 * It sees every state that lasts, not every one in between. It goes on over broken connections, ended watches and expired
 * resource versions, never in a tight loop. Rejects with what the condition throws, with an `ApiError` that another try
 * would not change (forbidden, no such resource …), with a `WaitTimeoutError`, and with the signal's reason.
 */
export async function untilWithSync<T extends KubernetesObject>(
  client: Pick<ResourceInterface<T>, 'list' | 'watch'>,
  name: string,
  condition: ObjectCondition<T>,
  { timeoutMs, clock = systemClock, signal: parent, random }: UntilWithSyncOptions = {},
): Promise<T | undefined> {
  const { signal, dispose } = childSignal({ parent, timeoutMs, clock, onTimeout: () => new WaitTimeoutError() });
  const wait = new ObjectWait(client, name, condition, signal);
  let delay = backoffDelays(retryBackoff, random);
  try {
    for (;;) {
      const outcome = await wait.listAndWatch();
      if (outcome.met) return outcome.object;
      if (outcome.sawNews) delay = backoffDelays(retryBackoff, random);
      await sleep(clock, delay(), signal);
    }
  } finally {
    dispose();
  }
}

type Outcome<T> =
  | { readonly met: true; readonly object: T | undefined }
  | { readonly met: false; readonly sawNews: boolean };

const failed = { met: false, sawNews: false } as const;

class ObjectWait<T extends KubernetesObject> {
  readonly #client: Pick<ResourceInterface<T>, 'list' | 'watch'>;
  readonly #condition: ObjectCondition<T>;
  readonly #signal: AbortSignal;
  readonly #options: ListOptions & { readonly signal: AbortSignal };
  /** Up to where the object's history is known; undefined when it has to be read anew. */
  #resourceVersion: string | undefined;

  constructor(
    client: Pick<ResourceInterface<T>, 'list' | 'watch'>,
    name: string,
    condition: ObjectCondition<T>,
    signal: AbortSignal,
  ) {
    this.#client = client;
    this.#condition = condition;
    this.#signal = signal;
    this.#options = { fieldSelector: `metadata.name=${escapeValue(name)}`, signal };
  }

  /** Reads the object if need be and watches it once. Throws only what ends the wait. */
  async listAndWatch(): Promise<Outcome<T>> {
    if (this.#resourceVersion === undefined) {
      const list = await this.#try(() => this.#client.list(this.#options));
      if (!list) return failed;
      const object = list.items[0];
      if (await this.#condition(object)) return { met: true, object };
      this.#resourceVersion = list.metadata?.resourceVersion ?? '';
    }
    const resourceVersion = this.#resourceVersion;
    const watch = await this.#try(() =>
      this.#client.watch({ ...this.#options, resourceVersion, allowWatchBookmarks: true }),
    );
    return watch ? this.#follow(watch) : failed;
  }

  async #follow(watch: Watch<T>): Promise<Outcome<T>> {
    let sawNews = false;
    for await (const event of watch) {
      if (event.type === 'ERROR') continue;
      sawNews = true;
      if (event.type !== 'BOOKMARK') {
        const object = event.type === 'DELETED' ? undefined : event.object;
        if (await this.#condition(object)) return { met: true, object };
      }
      this.#resourceVersion = event.object.metadata?.resourceVersion ?? this.#resourceVersion;
    }
    const end = await watch.ended;
    if (this.#signal.aborted) throw this.#signal.reason;
    if (end.reason === 'status') this.#readAnew(end.error);
    return { met: false, sawNews };
  }

  /** Undefined when it failed in a way that may pass. */
  async #try<R>(call: () => Promise<R>): Promise<R | undefined> {
    try {
      return await call();
    } catch (error) {
      if (this.#signal.aborted) throw this.#signal.reason;
      this.#readAnew(error);
      return undefined;
    }
  }

  #readAnew(error: unknown): void {
    if (!mayPass(error)) throw error;
    this.#resourceVersion = undefined;
  }
}

/** No answer, an overloaded or broken server, an expired resource version; not what the server refuses for good. */
function mayPass(error: unknown): boolean {
  const code = asApiError(error)?.code;
  return code === undefined || code >= 500 || isTooManyRequests(error) || isResourceExpired(error) || isGone(error);
}
