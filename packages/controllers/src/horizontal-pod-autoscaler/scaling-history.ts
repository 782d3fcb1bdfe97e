import type { HPAScalingRules } from '@coxswain/api/autoscaling/v2';

export interface Recommendation {
  readonly replicas: number;
  /** In milliseconds. */
  readonly at: number;
}

/** A number of replicas that were added or removed. */
export interface ScaleEvent {
  readonly change: number;
  readonly at: number;
}

/** Recent recommendations and scale events of one autoscaler. Entries older than the windows and periods are removed. */
export class ScalingHistory {
  recommendations: readonly Recommendation[];
  ups: readonly ScaleEvent[] = [];
  downs: readonly ScaleEvent[] = [];

  constructor(first: Recommendation) {
    this.recommendations = [first];
  }

  /** Adds a recommendation and removes those before `since`. */
  recommend(recommendation: Recommendation, since: number): void {
    this.recommendations = [...this.recommendations.filter(({ at }) => at >= since), recommendation];
  }

  scaledUp(change: number, at: number, rules: HPAScalingRules | undefined): void {
    this.ups = [...recent(this.ups, at, rules), { change, at }];
  }

  scaledDown(change: number, at: number, rules: HPAScalingRules | undefined): void {
    this.downs = [...recent(this.downs, at, rules), { change, at }];
  }
}

function recent(events: readonly ScaleEvent[], now: number, rules: HPAScalingRules | undefined): ScaleEvent[] {
  const longestSeconds = Math.max(0, ...(rules?.policies ?? []).map(({ periodSeconds }) => periodSeconds));
  return events.filter(({ at }) => at >= now - longestSeconds * 1000);
}
