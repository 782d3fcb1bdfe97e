import type { Container, Pod } from '@coxswain/api/core/v1';
import { formatDuration } from '@coxswain/apimachinery/time';
import { Backoff, type Clock } from '@coxswain/client';
import { allContainers } from '../pods/all-containers.ts';
import { type PodEvents, podText } from '../pods/pod-events.ts';
import type { RuntimePod } from '../runtime/runtime-pod.ts';
import { StartError } from '../runtime/start-error.ts';

export interface RestartBackoffOptions {
  readonly events: PodEvents;
  readonly clock: Clock;
  /** The longest back-off. */
  readonly maxPeriodMs: number;
}

const firstWaitMs = 10_000;
/** A container that ran at least this long has no back-off when it ends. */
const resetAfterMs = 600_000;

/** The back-off of containers that keep exiting. It doubles with each restart. */
export class RestartBackoff {
  readonly #options: RestartBackoffOptions;
  readonly #backoff: Backoff;
  /** Image and resources of the last run, by pod and container. The back-off is reset when they change. */
  readonly #tried = new Map<string, string>();

  constructor(options: RestartBackoffOptions) {
    const { clock, maxPeriodMs } = options;
    this.#options = options;
    const initialMs = Math.min(firstWaitMs, maxPeriodMs);
    this.#backoff = new Backoff({ initialMs, maxMs: maxPeriodMs, resetAfterMs, clock });
  }

  /** Must be called before each start. Throws a StartError with the reason CrashLoopBackOff if the back-off has not elapsed. */
  check(pod: Pod, runtimePod: RuntimePod, container: Container): void {
    const { name, image, resources } = container;
    const ended = runtimePod.containers.find((each) => each.name === name && each.state === 'Exited');
    if (!ended) return;
    const key = keyOf(pod, name);
    const { finishedAtMs } = ended;
    const content = JSON.stringify([image, resources]);
    if (this.#tried.get(key) !== content) this.#backoff.reset(key);
    this.#tried.set(key, content);
    if (!this.#backoff.isInBackoffSince(key, finishedAtMs)) {
      this.#backoff.next(key, finishedAtMs);
      return;
    }
    const text = `Back-off restarting failed container ${name} in pod ${podText(pod)}`;
    this.#options.events.container(pod, container, 'Warning', 'BackOff', text);
    const delayMs = this.#backoff.get(key);
    const message = `back-off ${formatDuration(delayMs * 1e6)} restarting failed container=${name} pod=${podText(pod)}`;
    throw new StartError('CrashLoopBackOff', message, { retryAtMs: finishedAtMs + delayMs });
  }

  forgetPod(pod: Pod): void {
    for (const { name } of allContainers(pod)) {
      this.#backoff.reset(keyOf(pod, name));
      this.#tried.delete(keyOf(pod, name));
    }
  }
}

const keyOf = ({ metadata }: Pod, container: string): string => `${metadata.uid}/${container}`;
