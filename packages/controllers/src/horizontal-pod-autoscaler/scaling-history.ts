import type { HPAScalingRules } from '@coxswain/api/autoscaling/v2';

export interface Recommendation {
  readonly replicas: number;
  /** In milliseconds. */
  readonly at: number;
}

/** A number of replicas that were added or taken away. */
export interface ScaleEvent {
  readonly change: number;
  readonly at: number;
}

/** What has been recommended and done of late for one autoscaler. Holds nothing older than its windows and periods. */
export class ScalingHistory {
  recommendations: readonly Recommendation[];
  ups: readonly ScaleEvent[] = [];
  downs: readonly ScaleEvent[] = [];

  constructor(first: Recommendation) {
    this.recommendations = [first];
  }

  /** Adds a recommendation, and drops those from before `since`. */
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
