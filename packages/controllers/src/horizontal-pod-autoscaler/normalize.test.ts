import type { HorizontalPodAutoscalerBehavior, HPAScalingRules } from '@coxswain/api/autoscaling/v2';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalize, normalizeWithBehavior, scaleDownLimit, scaleUpLimit } from './normalize.ts';
import { ScalingHistory } from './scaling-history.ts';

const s = 1000;
const windowMs = 300 * s;
const now = 1000 * s;
const input = (currentReplicas: number, desiredReplicas: number, over = {}) => ({
  currentReplicas,
  desiredReplicas,
  minReplicas: 1,
  maxReplicas: 20,
  now,
  ...over,
});
const history = (...recommendations: [replicas: number, secondsAgo: number][]): ScalingHistory => {
  const made = new ScalingHistory({ replicas: 0, at: 0 });
  made.recommendations = recommendations.map(([replicas, ago]) => ({ replicas, at: now - ago * s }));
  return made;
};

describe('normalize', () => {
  it.each([
    ['uses the proposed size', input(3, 5), history(), 5, 'ReadyForNewScale', 'DesiredWithinRange'],
    [
      'does not scale down below recent recommendations',
      input(8, 3),
      history([6, 300]),
      6,
      'ScaleDownStabilized',
      'DesiredWithinRange',
    ],
    [
      'ignores recommendations before the window',
      input(8, 3),
      history([6, 301]),
      3,
      'ReadyForNewScale',
      'DesiredWithinRange',
    ],
    ['at most doubles the size', input(3, 15), history(), 6, 'ReadyForNewScale', 'ScaleUpLimit'],
    ['may scale up to four', input(1, 15), history(), 4, 'ReadyForNewScale', 'ScaleUpLimit'],
    ['respects the maximum', input(15, 25), history(), 20, 'ReadyForNewScale', 'TooManyReplicas'],
    ['respects the minimum', input(3, 0), history(), 1, 'ReadyForNewScale', 'TooFewReplicas'],
  ] as const)('%s', (_, given, past, replicas, able, limited) => {
    const result = normalize(given, past, windowMs);
    expect([result.replicas, result.ableToScale.reason, result.limited.reason]).toEqual([replicas, able, limited]);
    expect(result.limited.isLimited).toBe(limited !== 'DesiredWithinRange');
    expect(past.recommendations.at(-1)).toEqual({ replicas: given.desiredReplicas, at: now });
  });
});

const rules = (over: HPAScalingRules = {}): HPAScalingRules => ({
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
  ...over,
});
const pods = (value: number, periodSeconds = 60) => ({ type: 'Pods', value, periodSeconds });
const percent = (value: number, periodSeconds = 60) => ({ type: 'Percent', value, periodSeconds });

describe('normalizeWithBehavior', () => {
  const up = (over: HPAScalingRules) => ({ scaleUp: rules(over), scaleDown: rules() });
  const down = (over: HPAScalingRules) => ({ scaleUp: rules(), scaleDown: rules(over) });
  it.each([
    [
      'scales up to the lowest recommendation in the window',
      input(3, 9),
      up({ stabilizationWindowSeconds: 60 }),
      history([5, 59], [4, 61]),
      5,
      'ScaleUpStabilized',
      'DesiredWithinRange',
    ],
    [
      'scales down to the highest recommendation in the window',
      input(9, 3),
      down({ stabilizationWindowSeconds: 60 }),
      history([5, 59], [8, 61]),
      5,
      'ScaleDownStabilized',
      'DesiredWithinRange',
    ],
    [
      'uses the default window for scaling down without one',
      input(9, 3),
      { scaleUp: rules(), scaleDown: { policies: [percent(100)] } },
      history([7, 299]),
      7,
      'ScaleDownStabilized',
      'DesiredWithinRange',
    ],
    [
      'limits scaling up by policy',
      input(3, 9),
      up({ policies: [pods(2)] }),
      history(),
      5,
      'ReadyForNewScale',
      'ScaleUpLimit',
    ],
    [
      'limits scaling down by policy',
      input(9, 3),
      down({ policies: [pods(2)] }),
      history(),
      7,
      'ReadyForNewScale',
      'ScaleDownLimit',
    ],
    ['respects the maximum', input(15, 25), up({}), history(), 20, 'ReadyForNewScale', 'TooManyReplicas'],
    ['respects the minimum', input(9, 0), down({}), history(), 1, 'ReadyForNewScale', 'TooFewReplicas'],
    [
      'does not scale up when disabled',
      input(3, 9),
      up({ selectPolicy: 'Disabled' }),
      history(),
      3,
      'ReadyForNewScale',
      'ScaleUpLimit',
    ],
    [
      'does not scale down when disabled',
      input(9, 3),
      down({ selectPolicy: 'Disabled' }),
      history(),
      9,
      'ReadyForNewScale',
      'ScaleDownLimit',
    ],
  ] as [string, ReturnType<typeof input>, HorizontalPodAutoscalerBehavior, ScalingHistory, number, string, string][])(
    '%s',
    (_, given, behavior, past, replicas, able, limited) => {
      const result = normalizeWithBehavior(given, behavior, past, windowMs);
      expect([result.replicas, result.ableToScale.reason, result.limited.reason]).toEqual([replicas, able, limited]);
    },
  );

  it('never exceeds the proposed size or the limits', () => {
    const count = fc.integer({ min: 1, max: 40 });
    const past = fc.array(fc.tuple(count, fc.nat(400)), { maxLength: 5 });
    fc.assert(
      fc.property(count, count, past, fc.nat(300), fc.nat(300), (current, desired, recommended, upS, downS) => {
        fc.pre(current <= 20);
        const behavior = {
          scaleUp: rules({ stabilizationWindowSeconds: upS }),
          scaleDown: rules({ stabilizationWindowSeconds: downS }),
        };
        const { replicas } = normalizeWithBehavior(
          input(current, desired),
          behavior,
          history(...recommended),
          windowMs,
        );
        expect(replicas).toBeGreaterThanOrEqual(Math.min(current, desired));
        expect(replicas).toBeLessThanOrEqual(Math.max(current, desired));
        expect(replicas).toBeLessThanOrEqual(20);
      }),
    );
  });
});

describe('scaleUpLimit and scaleDownLimit', () => {
  const busy = history();
  busy.scaledUp(4, now - 30 * s, rules({ policies: [pods(1, 600)] }));
  busy.scaledDown(1, now - 20 * s, rules({ policies: [pods(1, 600)] }));
  it.each([
    ['allow a number of pods per period', { policies: [pods(5)] }, 10 - 3 + 5, 10 - 3 - 5],
    ['ignore changes before the period', { policies: [pods(5, 30)] }, 10 + 1 + 5, 10 + 1 - 5],
    ['allow a percentage', { policies: [percent(50)] }, Math.ceil(7 * 1.5), Math.trunc(7 * 0.5)],
    ['use the largest change of several policies', { policies: [pods(5), percent(10)] }, 12, 2],
    ['use the smallest change with selectPolicy Min', { selectPolicy: 'Min', policies: [pods(5), percent(10)] }, 8, 6],
  ] as [string, HPAScalingRules, number, number][])('%s', (_, policy, most, fewest) => {
    expect(scaleUpLimit(10, busy, policy, now)).toBe(most);
    expect(scaleDownLimit(10, busy, policy, now)).toBe(fewest);
  });
  it('keep no more history than their longest period', () => {
    const past = history();
    for (let i = 0; i < 100; i++) past.scaledUp(1, i * 10 * s, rules({ policies: [pods(1, 60)] }));
    expect(past.ups.length).toBeLessThanOrEqual(7);
    for (let i = 0; i < 100; i++) past.recommend({ replicas: 1, at: i * 10 * s }, i * 10 * s - windowMs);
    expect(past.recommendations.length).toBeLessThanOrEqual(31);
  });
});
