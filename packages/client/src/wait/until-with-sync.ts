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

/** Returns whether the object meets the condition; undefined means that it does not exist. An error ends the wait. */
export type ObjectCondition<T> = (object: T | undefined) => boolean | Promise<boolean>;

export interface UntilWithSyncOptions extends WaitOptions {
  /** No timeout by default. */
  readonly timeoutMs?: number;
  readonly random?: () => number;
}

/** The server ends a watch after this time; one that lasts longer than `stalledMs` has stalled. */
const watchTimeoutSeconds = 300;
const stalledMs = 330_000;

/** Delays after a failure, and after a watch that ended without events. */
const retryBackoff = { durationMs: 200, factor: 2, jitter: 0.5, steps: 10, capMs: 10_000 };

/**
 * Waits until an object meets a condition, like `kubectl wait`: reads it, then watches it. Resolves with the object in
 * that state, or undefined if the condition was met by its absence.
 *
 * Sees every lasting state, but not necessarily every intermediate one. Continues after broken connections, ended
 * watches and expired resource versions, always with a delay. Rejects with errors of the condition, with an `ApiError`
 * that a retry would not change (forbidden, unknown resource, …), with a `WaitTimeoutError`, and with the signal's
 * reason.
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
  /** The last seen resourceVersion; undefined when the object must be listed again. */
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

  /** Lists the object if necessary, and watches it once. Rejects only with errors that end the wait. */
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

  /** Returns undefined after a transient failure. */
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

/** Whether a failure is transient: no response, an overloaded or failing server, or an expired resource version. */
function mayPass(error: unknown): boolean {
  const code = asApiError(error)?.code;
  return code === undefined || code >= 500 || isTooManyRequests(error) || isResourceExpired(error) || isGone(error);
}
