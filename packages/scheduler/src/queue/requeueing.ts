import type { KubernetesObject } from '@coxswain/apimachinery/meta';
import type { Clock, Logger } from '@coxswain/client';
import { eventLabel, isWildcard } from '../events/cluster-events.ts';
import type { ClusterEvent } from '../framework/cluster-event.ts';
import type { InFlightEvent } from './in-flight-pods.ts';
import type { QueueMetrics } from './queue-metrics.ts';
import type { QueuedPodInfo } from './queued-pod-info.ts';
import type { QueueingHints, RegisteredHint } from './queueing-hints.ts';

/** What an event means for a pod: no retry, a retry after its backoff, or an immediate retry. */
export type Requeue = 'skip' | 'afterBackoff' | 'immediately';

export interface RequeueingOptions {
  readonly hints: QueueingHints;
  readonly metrics: QueueMetrics;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Asks the plug-ins that rejected a pod whether an event makes a retry worthwhile. */
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
    // The pod failed with an error, which needs no event to disappear.
    if (!pod.isRejected) return 'afterBackoff';
    // A wildcard event may be for a single pod.
    if (isWildcard(event)) return after === undefined || after.metadata?.uid === pod.uid ? 'afterBackoff' : 'skip';
    const hints = this.#options.hints.matching(pod.profile, event);
    if (!hints) {
      this.#options.logger.error('Pod waits for an unknown profile', undefined, {
        pod: pod.key,
        profile: pod.profile,
      });
      return 'afterBackoff';
    }
    let result: Requeue = 'skip';
    for (const registered of hints) {
      if (!pod.isRejectedBy(registered.plugin)) continue;
      if (!this.#isWorthwhile(registered, pod, event, before, after)) continue;
      // The pod was pending for this event. It did not fail an attempt by its own fault, so there is no backoff.
      if (pod.pendingPlugins.has(registered.plugin)) return 'immediately';
      result = 'afterBackoff';
      if (pod.pendingPlugins.size === 0) break;
    }
    return result;
  }

  /** Like `after`, for all events during the pod's flight; undefined when they were dropped. */
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
      // A needless retry is better than none.
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
