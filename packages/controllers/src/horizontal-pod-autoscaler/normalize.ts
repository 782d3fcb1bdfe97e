import type { HorizontalPodAutoscalerBehavior, HPAScalingRules } from '@coxswain/api/autoscaling/v2';
import { ceilToInt32 } from './numbers.ts';
import type { ScaleEvent, ScalingHistory } from './scaling-history.ts';

export interface NormalizeInput {
  readonly currentReplicas: number;
  /** The size that the metrics propose. */
  readonly desiredReplicas: number;
  readonly minReplicas: number;
  readonly maxReplicas: number;
  readonly now: number;
}

interface Finding {
  readonly reason: string;
  readonly message: string;
}

/** The limited size, with the conditions that explain it. */
export interface Normalized {
  readonly replicas: number;
  readonly ableToScale: Finding;
  readonly limited: Finding & { readonly isLimited: boolean };
}

const readyForNewScale = { reason: 'ReadyForNewScale', message: 'recommended size matches current size' };
const upStabilized = {
  reason: 'ScaleUpStabilized',
  message: 'recent recommendations were lower than current one, applying the lowest recent recommendation',
};
const downStabilized = {
  reason: 'ScaleDownStabilized',
  message: 'recent recommendations were higher than current one, applying the highest recent recommendation',
};
const withinRange = { reason: 'DesiredWithinRange', message: 'the desired count is within the acceptable range' };
const tooMany = {
  reason: 'TooManyReplicas',
  message: 'the desired replica count is more than the maximum replica count',
};
const tooFew = {
  reason: 'TooFewReplicas',
  message: 'the desired replica count is less than the minimum replica count',
};
const tooFastUp = {
  reason: 'ScaleUpLimit',
  message: 'the desired replica count is increasing faster than the maximum scale rate',
};
const tooFastDown = {
  reason: 'ScaleDownLimit',
  message: 'the desired replica count is decreasing faster than the maximum scale rate',
};

/** Limits the size without `spec.behavior`: scales down only after the window, and up to twice the size or four, whichever is more. */
export function normalize(input: NormalizeInput, history: ScalingHistory, downscaleWindowMs: number): Normalized {
  const { currentReplicas, desiredReplicas, minReplicas, maxReplicas, now } = input;
  const since = now - downscaleWindowMs;
  const recent = history.recommendations.filter(({ at }) => at >= since).map(({ replicas }) => replicas);
  const stabilized = Math.max(desiredReplicas, ...recent);
  history.recommend({ replicas: desiredReplicas, at: now }, since);
  const ableToScale = stabilized === desiredReplicas ? readyForNewScale : downStabilized;
  const fastest = Math.max(2 * currentReplicas, 4);
  if (stabilized < minReplicas) return limited(minReplicas, ableToScale, tooFew);
  if (stabilized > Math.min(fastest, maxReplicas)) {
    return fastest < maxReplicas
      ? limited(fastest, ableToScale, tooFastUp)
      : limited(maxReplicas, ableToScale, tooMany);
  }
  return { replicas: stabilized, ableToScale, limited: { isLimited: false, ...withinRange } };
}

/** Limits the size by `spec.behavior`: windows and rates for scaling up and down. */
export function normalizeWithBehavior(
  input: NormalizeInput,
  { scaleUp = {}, scaleDown = {} }: HorizontalPodAutoscalerBehavior,
  history: ScalingHistory,
  downscaleWindowMs: number,
): Normalized {
  const { desiredReplicas, currentReplicas } = input;
  const downMs = (scaleDown.stabilizationWindowSeconds ?? downscaleWindowMs / 1000) * 1000;
  const upMs = (scaleUp.stabilizationWindowSeconds ?? 0) * 1000;
  const stabilized = stabilize(input, history, upMs, downMs);
  const isDown = desiredReplicas < currentReplicas;
  const why = isDown ? downStabilized : upStabilized;
  const ableToScale = stabilized === desiredReplicas ? readyForNewScale : why;
  return limitRate({ ...input, desiredReplicas: stabilized }, { scaleUp, scaleDown }, history, ableToScale);
}

/** Scales up to the lowest and down to the highest recommendation within the respective window. */
function stabilize(
  { currentReplicas, desiredReplicas, now }: NormalizeInput,
  history: ScalingHistory,
  upMs: number,
  downMs: number,
): number {
  const within = (windowMs: number): number[] =>
    history.recommendations.filter(({ at }) => at > now - windowMs).map(({ replicas }) => replicas);
  const lowest = Math.min(desiredReplicas, ...within(upMs));
  const highest = Math.max(desiredReplicas, ...within(downMs));
  history.recommend({ replicas: desiredReplicas, at: now }, now - Math.max(upMs, downMs));
  return Math.min(Math.max(currentReplicas, lowest), highest);
}

function limitRate(
  { currentReplicas, desiredReplicas, minReplicas, maxReplicas, now }: NormalizeInput,
  { scaleUp, scaleDown }: { readonly scaleUp: HPAScalingRules; readonly scaleDown: HPAScalingRules },
  history: ScalingHistory,
  ableToScale: Finding,
): Normalized {
  if (desiredReplicas > currentReplicas) {
    const fastest = Math.max(currentReplicas, scaleUpLimit(currentReplicas, history, scaleUp, now));
    const most = Math.min(fastest, maxReplicas);
    if (desiredReplicas > most) return limited(most, ableToScale, fastest < maxReplicas ? tooFastUp : tooMany);
  } else if (desiredReplicas < currentReplicas) {
    const fastest = Math.min(currentReplicas, scaleDownLimit(currentReplicas, history, scaleDown, now));
    const fewest = Math.max(fastest, minReplicas);
    if (desiredReplicas < fewest) return limited(fewest, ableToScale, fastest > minReplicas ? tooFastDown : tooFew);
  }
  return { replicas: desiredReplicas, ableToScale, limited: { isLimited: false, ...withinRange } };
}

/** Returns the maximum size that the policies allow now. */
export function scaleUpLimit(current: number, history: ScalingHistory, rules: HPAScalingRules, now: number): number {
  if (rules.selectPolicy === 'Disabled') return current;
  const limits = (rules.policies ?? []).map(({ type, value, periodSeconds }) => {
    const start = replicasAtStart(current, history, periodSeconds, now);
    return type === 'Pods' ? start + value : ceilToInt32(start * (1 + value / 100));
  });
  return rules.selectPolicy === 'Min' ? Math.min(...limits) : Math.max(...limits);
}

/** Returns the minimum size that the policies allow now. */
export function scaleDownLimit(current: number, history: ScalingHistory, rules: HPAScalingRules, now: number): number {
  if (rules.selectPolicy === 'Disabled') return current;
  const limits = (rules.policies ?? []).map(({ type, value, periodSeconds }) => {
    const start = replicasAtStart(current, history, periodSeconds, now);
    return type === 'Pods' ? start - value : Math.trunc(start * (1 - value / 100));
  });
  return rules.selectPolicy === 'Min' ? Math.max(...limits) : Math.min(...limits);
}

/** Returns the size before the changes within the period. */
function replicasAtStart(current: number, { ups, downs }: ScalingHistory, periodSeconds: number, now: number): number {
  const changed = (events: readonly ScaleEvent[]): number =>
    events.reduce((sum, { change, at }) => (at > now - periodSeconds * 1000 ? sum + change : sum), 0);
  return current - changed(ups) + changed(downs);
}

const limited = (replicas: number, ableToScale: Finding, why: Finding): Normalized => ({
  replicas,
  ableToScale,
  limited: { isLimited: true, ...why },
});
