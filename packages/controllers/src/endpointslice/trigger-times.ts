import type { Pod, Service } from '@coxswain/api/core/v1';
import { podCondition } from '@coxswain/component-helpers';

interface Known {
  readonly service: string;
  /** By the name of the pod. */
  readonly pods: ReadonlyMap<string, string>;
}

/**
 * Finds out what made endpoints change, so that it can be measured how long it took until every node knew. Holds a time
 * for each service and each of its pods. Times are compared as the texts that they are.
 */
export class TriggerTimes {
  readonly #services = new Map<string, Known>();

  /**
   * The earliest time of what is new since this was last asked for the service; at first the time at which the service
   * was made. Undefined when nothing is.
   */
  observe(
    key: string,
    { metadata: { creationTimestamp: service = '' } }: Service,
    pods: readonly Pod[],
  ): string | undefined {
    const known = this.#services.get(key);
    let earliest: string | undefined;
    const consider = (time: string, before: string | undefined): void => {
      if ((before === undefined || time > before) && (earliest === undefined || time < earliest)) earliest = time;
    };
    const podTimes = new Map<string, string>();
    for (const pod of pods) {
      const { name = '' } = pod.metadata;
      const time = podCondition(pod, 'Ready')?.lastTransitionTime;
      if (!time) continue;
      podTimes.set(name, time);
      consider(time, known?.pods.get(name));
    }
    consider(service, known?.service);
    this.#services.set(key, { service, pods: podTimes });
    return known ? earliest : service || undefined;
  }

  forget(key: string): void {
    this.#services.delete(key);
  }
}
