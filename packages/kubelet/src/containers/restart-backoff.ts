import type { Container, Pod } from '@coxswain/api/core/v1';
import { formatDuration } from '@coxswain/apimachinery/time';
import { Backoff, type Clock } from '@coxswain/client';
import { type PodEvents, podText } from '../pods/pod-events.ts';
import type { RuntimePod } from '../runtime/runtime-pod.ts';
import { StartError } from '../runtime/start-error.ts';

export interface RestartBackoffOptions {
  readonly events: PodEvents;
  readonly clock: Clock;
  /** The longest wait. */
  readonly maxPeriodMs: number;
}

const firstWaitMs = 10_000;
/** A container that ran for so long is started at once when it ends. */
const resetAfterMs = 600_000;

/** Lets containers that keep exiting wait for their next start, twice as long each time. */
export class RestartBackoff {
  readonly #options: RestartBackoffOptions;
  readonly #backoff: Backoff;
  /** Image and resources of the last run, by pod and container. A container that was changed does not wait. */
  readonly #tried = new Map<string, string>();

  constructor(options: RestartBackoffOptions) {
    const { clock, maxPeriodMs } = options;
    this.#options = options;
    const initialMs = Math.min(firstWaitMs, maxPeriodMs);
    this.#backoff = new Backoff({ initialMs, maxMs: maxPeriodMs, resetAfterMs, clock });
  }

  /** To be called before each start. Throws a CrashLoopBackOff if the container has to wait. */
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
    const { initContainers = [], containers = [], ephemeralContainers = [] } = pod.spec ?? {};
    for (const { name } of [...initContainers, ...containers, ...ephemeralContainers]) {
      this.#backoff.reset(keyOf(pod, name));
      this.#tried.delete(keyOf(pod, name));
    }
  }
}

const keyOf = ({ metadata }: Pod, container: string): string => `${metadata.uid}/${container}`;
