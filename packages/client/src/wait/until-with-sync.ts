import { type Clock, sleep, systemClock } from '@coxswain/apimachinery/clock';
import { asApiError, isGone, isResourceExpired, isTooManyRequests } from '@coxswain/apimachinery/errors';
import { escapeValue } from '@coxswain/apimachinery/fields';
import type { KubernetesObject } from '@coxswain/apimachinery/meta';
import type { ResourceInterface } from '../rest/resource-interface.ts';
import type { Watch } from '../watch/watch.ts';
import { backoffDelays } from './backoff.ts';
import { childSignal, untilAborted } from './child-signal.ts';
import type { WaitOptions } from './wait-options.ts';
import { WaitTimeoutError } from './wait-timeout-error.ts';

/** Whether the object is as it should be; undefined stands for its absence. What it throws ends the wait. */
export type ObjectCondition<T> = (object: T | undefined) => boolean | Promise<boolean>;

export interface UntilWithSyncOptions extends WaitOptions {
  /** By default there is none. */
  readonly timeoutMs?: number;
  readonly random?: () => number;
}

/** The server ends a watch after so long; one that lasts longer has stalled. */
const watchTimeoutSeconds = 300;
const stalledMs = 330_000;

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
  const wait = new ObjectWait(client, name, condition, { clock, signal });
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
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #fieldSelector: string;
  /** Up to where the object's history is known; undefined when it has to be read anew. */
  #resourceVersion: string | undefined;

  constructor(
    client: Pick<ResourceInterface<T>, 'list' | 'watch'>,
    name: string,
    condition: ObjectCondition<T>,
    { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
  ) {
    this.#client = client;
    this.#condition = condition;
    this.#clock = clock;
    this.#signal = signal;
    this.#fieldSelector = `metadata.name=${escapeValue(name)}`;
  }

  /** Reads the object if need be and watches it once. Throws only what ends the wait. */
  async listAndWatch(): Promise<Outcome<T>> {
    if (this.#resourceVersion === undefined) {
      const options = { fieldSelector: this.#fieldSelector, signal: this.#signal };
      const list = await this.#try(() => this.#client.list(options));
      if (!list) return failed;
      const object = list.items[0];
      if (await this.#isMet(object)) return { met: true, object };
      this.#resourceVersion = list.metadata?.resourceVersion ?? '';
    }
    return this.#watch(this.#resourceVersion);
  }

  async #watch(resourceVersion: string): Promise<Outcome<T>> {
    const { signal, dispose } = childSignal({ parent: this.#signal, timeoutMs: stalledMs, clock: this.#clock });
    const options = {
      fieldSelector: this.#fieldSelector,
      resourceVersion,
      allowWatchBookmarks: true,
      timeoutSeconds: watchTimeoutSeconds,
      signal,
    };
    try {
      const watch = await this.#try(() => this.#client.watch(options));
      return watch ? await this.#follow(watch) : failed;
    } finally {
      dispose();
    }
  }

  async #follow(watch: Watch<T>): Promise<Outcome<T>> {
    let sawNews = false;
    for await (const event of watch) {
      if (event.type === 'ERROR') continue;
      sawNews = true;
      if (event.type !== 'BOOKMARK') {
        const object = event.type === 'DELETED' ? undefined : event.object;
        if (await this.#isMet(object)) return { met: true, object };
      }
      this.#resourceVersion = event.object.metadata?.resourceVersion ?? this.#resourceVersion;
    }
    const end = await watch.ended;
    if (this.#signal.aborted) throw this.#signal.reason;
    if (end.reason === 'status') this.#readAnew(end.error);
    return { met: false, sawNews };
  }

  #isMet(object: T | undefined): Promise<boolean> {
    return untilAborted((async () => this.#condition(object))(), this.#signal);
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
