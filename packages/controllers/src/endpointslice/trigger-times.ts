import type { Pod, Service } from '@coxswain/api/core/v1';
import { podCondition } from '@coxswain/component-helpers';

interface Known {
  readonly service: string;
  /** By pod name. */
  readonly pods: ReadonlyMap<string, string>;
}

/**
 * Determines the time of the change that caused an update of endpoints, to measure the delay until it reaches the nodes. Holds a
 * time for each service and each of its pods. Times are compared as strings.
 */
export class TriggerTimes {
  readonly #services = new Map<string, Known>();

  /**
   * Returns the earliest time of the changes since the previous call for the service; at the first call the service's creation
   * time. Undefined without changes.
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
