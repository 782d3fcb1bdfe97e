import type { KubernetesObject } from '@coxswain/apimachinery/meta';
import type { Clock, Logger } from '@coxswain/client';
import { eventLabel, isWildcard } from '../events/cluster-events.ts';
import type { ClusterEvent } from '../framework/cluster-event.ts';
import type { InFlightEvent } from './in-flight-pods.ts';
import type { QueueMetrics } from './queue-metrics.ts';
import type { QueuedPodInfo } from './queued-pod-info.ts';
import type { QueueingHints, RegisteredHint } from './queueing-hints.ts';

/** What to do with a pod after an event: leave it, try it when its backoff is over, or try it now. */
export type Requeue = 'skip' | 'afterBackoff' | 'immediately';

export interface RequeueingOptions {
  readonly hints: QueueingHints;
  readonly metrics: QueueMetrics;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Asks the plug-ins that rejected a pod whether an event makes it worth another try. */
export class Requeueing {
  readonly #options: RequeueingOptions;

  constructor(options: RequeueingOptions) {
    this.#options = options;
  }

  /** `before` and `after` are the object's states, as for `QueueingHintFn`. */
  after(
    pod: QueuedPodInfo,
    event: ClusterEvent,
    before: KubernetesObject | undefined,
    after: KubernetesObject | undefined,
  ): Requeue {
    // It failed with an error: nothing has to happen for that to go away.
    if (!pod.isRejected) return 'afterBackoff';
    // Such an event may be meant for a single pod.
    if (isWildcard(event)) return after === undefined || after.metadata?.uid === pod.uid ? 'afterBackoff' : 'skip';
    const hints = this.#options.hints.matching(pod.profile, event);
    if (!hints) {
      this.#options.logger.error('Pod waits for a profile that there is not', undefined, {
        pod: pod.key,
        profile: pod.profile,
      });
      return 'afterBackoff';
    }
    let result: Requeue = 'skip';
    for (const registered of hints) {
      if (!pod.isRejectedBy(registered.plugin)) continue;
      if (!this.#isWorthwhile(registered, pod, event, before, after)) continue;
      // What a plug-in waited for has come: the wait was no fault of the pod's, so there is no backoff for it.
      if (pod.pendingPlugins.has(registered.plugin)) return 'immediately';
      result = 'afterBackoff';
      if (pod.pendingPlugins.size === 0) break;
    }
    return result;
  }

  /** The same for all that happened while the pod was in flight; undefined when that is not known. */
  afterAll(pod: QueuedPodInfo, events: readonly InFlightEvent[] | undefined): Requeue {
    if (!pod.isRejected || !events) return 'afterBackoff';
    let result: Requeue = 'skip';
    for (const { event, before, after } of events) {
      const one = this.after(pod, event, before, after);
      if (one === 'skip') continue;
      result = one;
      if (one === 'immediately' || pod.pendingPlugins.size === 0) break;
    }
    return result;
  }

  #isWorthwhile(
    { plugin, hint }: RegisteredHint,
    pod: QueuedPodInfo,
    event: ClusterEvent,
    before: KubernetesObject | undefined,
    after: KubernetesObject | undefined,
  ): boolean {
    if (!hint) return true;
    const { clock, logger, metrics } = this.#options;
    const start = clock.monotonic();
    let result: 'Queue' | 'QueueSkip' | 'Error';
    try {
      result = hint(pod.info.pod, before, after) === 'Queue' ? 'Queue' : 'QueueSkip';
    } catch (error) {
      // Better tried in vain than never again.
      result = 'Error';
      logger.error('QueueingHintFn returns error', error, {
        event: eventLabel(event),
        pod: pod.key,
        hintPlugin: plugin,
      });
    }
    metrics.hint(plugin, eventLabel(event), result, clock.monotonic() - start);
    return result !== 'QueueSkip';
  }
}
