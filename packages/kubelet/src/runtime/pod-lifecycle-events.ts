import { type Clock, type Logger, sleep } from '@coxswain/client';
import { hasRpcCode } from '@coxswain/grpc';
import type { KubeletMetrics } from '../metrics/kubelet-metrics.ts';
import type { KubeRuntime, ListedPod } from './kube-runtime.ts';
import { podUidLabel } from './labels.ts';

export interface PodLifecycleEventsOptions {
  readonly runtime: KubeRuntime;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics?: Pick<KubeletMetrics, 'relisted' | 'running'>;
  /** How often all containers are listed while the runtime sends no events. Infinity if the runtime never loses an event. */
  readonly relistMs?: number;
  /** Called when a sandbox or container of the pod has changed. */
  readonly onPod: (podUid: string) => void;
}

const defaultRelistMs = 1000;
/** How often all containers are listed while the runtime sends events, to find changes whose events were lost. */
const relistWithEventsMs = 60_000;
const reconnectMs = 1000;
const unhealthyAfterMs = 180_000;

/**
 * Reports the pods whose sandboxes or containers have changed. It follows the runtime's stream of events, if the runtime has one, and
 * compares lists of all containers. Without a stream it lists more often.
 */
export class PodLifecycleEvents {
  readonly #options: PodLifecycleEventsOptions;
  /** The last list: the fingerprint of each pod, by uid. It differs when a sandbox or container has changed. */
  #listed = new Map<string, string>();
  #hasEvents = false;
  /** In the clock's monotonic time. */
  #listedAtMs: number | undefined;

  constructor(options: PodLifecycleEventsOptions) {
    this.#options = options;
  }

  /** The message for the node's status when no list has succeeded for 3 minutes. Undefined otherwise. */
  get problem(): string | undefined {
    const { clock, relistMs } = this.#options;
    if (relistMs === Number.POSITIVE_INFINITY || this.#listedAtMs === undefined) return undefined;
    const elapsedMs = clock.monotonic() - this.#listedAtMs;
    if (elapsedMs < unhealthyAfterMs) return undefined;
    const seconds = Math.floor(elapsedMs / 1000);
    return `PLEG is not healthy: pleg was last seen active ${Math.floor(seconds / 60)}m${seconds % 60}s ago; threshold is 3m0s`;
  }

  /** Runs until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#listen(signal), this.#relist(signal)]);
  }

  async #listen(signal: AbortSignal): Promise<void> {
    const { runtime, clock, logger, onPod } = this.#options;
    while (!signal.aborted) {
      try {
        for await (const { podSandboxStatus } of runtime.service.getContainerEvents({}, { signal })) {
          this.#hasEvents = true;
          const uid = podSandboxStatus?.metadata?.uid ?? podSandboxStatus?.labels[podUidLabel];
          if (uid) onPod(uid);
        }
      } catch (error) {
        if (signal.aborted || hasRpcCode(error, 'Unimplemented')) return;
        if (this.#hasEvents) logger.error('The stream of container events ended', error);
      }
      this.#hasEvents = false;
      await sleep(clock, reconnectMs, signal).catch(() => {});
    }
  }

  async #relist(signal: AbortSignal): Promise<void> {
    const { runtime, clock, logger, metrics, relistMs = defaultRelistMs } = this.#options;
    if (relistMs === Number.POSITIVE_INFINITY) return;
    this.#listedAtMs = clock.monotonic();
    let hasFailed = false;
    let lastMs: number | undefined;
    while (!signal.aborted) {
      const begunMs = clock.monotonic();
      const sinceLast = lastMs === undefined ? undefined : (begunMs - lastMs) / 1000;
      lastMs = begunMs;
      try {
        const pods = await runtime.listPods(signal);
        this.#compare(pods);
        metrics?.relisted((clock.monotonic() - begunMs) / 1000, sinceLast, new Date(clock.now()));
        metrics?.running(...countsOf(pods));
        hasFailed = false;
      } catch (error) {
        if (signal.aborted) return;
        if (!hasFailed) logger.error('Failed to list the containers of the runtime', error);
        hasFailed = true;
      }
      await this.#pause(relistMs, signal);
    }
  }

  /** Waits until the next list is due: `relistWithEventsMs` while there is a stream of events, `relistMs` otherwise. */
  async #pause(relistMs: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const untilMs = clock.now() + relistWithEventsMs;
    do await sleep(clock, relistMs, signal).catch(() => {});
    while (!signal.aborted && this.#hasEvents && clock.now() < untilMs);
  }

  #compare(pods: readonly ListedPod[]): void {
    const { runtime, clock, onPod } = this.#options;
    const before = this.#listed;
    this.#listed = new Map(pods.map((pod) => [pod.uid, fingerprint(pod)]));
    this.#listedAtMs = clock.monotonic();
    for (const [uid, state] of this.#listed) if (before.get(uid) !== state) onPod(uid);
    for (const uid of before.keys()) if (!this.#listed.has(uid)) onPod(uid);
    runtime.forgetAllBut(new Set(pods.flatMap(({ containers }) => containers.map(({ id }) => id))));
  }
}

/** Pods with a sandbox that is ready, and containers by state. */
function countsOf(pods: readonly ListedPod[]): [number, Record<string, number>] {
  const counts: Record<string, number> = { created: 0, running: 0, exited: 0, unknown: 0 };
  for (const { state } of pods.flatMap(({ containers }) => containers)) {
    const name = state.toLowerCase();
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return [pods.filter(({ sandboxes }) => sandboxes.some(({ isReady }) => isReady)).length, counts];
}

const fingerprint = ({ sandboxes, containers }: ListedPod): string =>
  [
    ...sandboxes.map(({ id, isReady }) => `${id}=${isReady}`),
    ...containers.map(({ id, state }) => `${id}=${state}`),
  ].join();
