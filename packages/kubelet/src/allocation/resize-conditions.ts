import type { Pod, PodCondition } from '@coxswain/api/core/v1';
import { timeFromDate } from '@coxswain/apimachinery/time';

type ResizeConditionType = 'PodResizePending' | 'PodResizeInProgress';

export interface ResizeVerdict {
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly generation: number;
}

/** The conditions that report the progress of one pod's resize. */
export class ResizeConditions {
  readonly #conditions = new Map<ResizeConditionType, PodCondition>();

  /** Reads the conditions that an earlier kubelet has written. */
  static of({ status }: Pod): ResizeConditions {
    const known = new ResizeConditions();
    for (const type of ['PodResizePending', 'PodResizeInProgress'] as const) {
      const condition = status?.conditions?.find((each) => each.type === type);
      if (condition) known.#conditions.set(type, condition);
    }
    return known;
  }

  get list(): PodCondition[] {
    return (['PodResizePending', 'PodResizeInProgress'] as const).flatMap((type) => this.#conditions.get(type) ?? []);
  }

  get(type: ResizeConditionType): PodCondition | undefined {
    return this.#conditions.get(type);
  }

  set(type: ResizeConditionType, { reason, message, generation }: ResizeVerdict, nowMs: number): void {
    const before = this.#conditions.get(type);
    const now = timeFromDate(new Date(nowMs));
    const isSame = before && before.reason === reason;
    this.#conditions.set(type, {
      type,
      observedGeneration: generation,
      status: 'True',
      lastProbeTime: now,
      lastTransitionTime: (isSame && before.lastTransitionTime) || now,
      ...(reason !== undefined && { reason }),
      ...(message !== undefined && { message }),
    });
  }

  /** Removes a condition and returns it. */
  clear(type: ResizeConditionType): PodCondition | undefined {
    const before = this.#conditions.get(type);
    this.#conditions.delete(type);
    return before;
  }
}
