import { describe, expect, it } from 'vitest';
import {
  type Condition,
  findStatusCondition,
  isStatusConditionFalse,
  isStatusConditionPresentAndEqual,
  isStatusConditionTrue,
  removeStatusCondition,
  setStatusCondition,
} from './condition.ts';

const before = '2024-05-01T00:00:00Z';
const now = () => new Date('2025-01-02T03:04:05.678Z');
const ready: Condition = {
  type: 'Ready',
  status: 'True',
  lastTransitionTime: before,
  reason: 'Ok',
  message: 'fine',
};

describe('setStatusCondition', () => {
  it('adds a condition of a new type with the time of the call, in whole seconds', () => {
    const conditions: Condition[] = [];
    const { lastTransitionTime: _, ...input } = ready;
    expect(setStatusCondition(conditions, input, now)).toBe(true);
    expect(conditions).toEqual([{ ...ready, lastTransitionTime: '2025-01-02T03:04:05Z' }]);
  });

  it('adds a condition with its own transition time', () => {
    const conditions: Condition[] = [];
    setStatusCondition(conditions, ready, now);
    expect(conditions).toEqual([ready]);
  });

  it.each([
    ['nothing differs', {}, false, before],
    ['nothing but the time differs', { lastTransitionTime: '2030-01-01T00:00:00Z' }, false, before],
    ['the reason differs', { reason: 'Other' }, true, before],
    ['the message differs', { message: 'other' }, true, before],
    ['the generation differs', { observedGeneration: 2 }, true, before],
    ['the generation is zero, which means absent', { observedGeneration: 0 }, false, before],
    ['the status differs', { status: 'False', lastTransitionTime: undefined }, true, '2025-01-02T03:04:05Z'],
    ['status and time differ', { status: 'False', lastTransitionTime: before }, true, before],
  ] as const)('updates in place when %s', (_, change, changed, time) => {
    const conditions = [{ ...ready }];
    const [existing] = conditions;
    expect(setStatusCondition(conditions, { ...ready, ...change }, now)).toBe(changed);
    expect(conditions).toHaveLength(1);
    expect(conditions[0]).toBe(existing);
    expect(existing).toEqual({ ...ready, ...(changed ? change : {}), lastTransitionTime: time });
  });
});

describe('a generation of zero', () => {
  it('is not written', () => {
    const conditions: Condition[] = [];
    setStatusCondition(conditions, { ...ready, observedGeneration: 0 }, now);
    expect(JSON.stringify(conditions)).toBe(JSON.stringify([ready]));
  });

  it('replaces another one', () => {
    const conditions: Condition[] = [{ ...ready, observedGeneration: 4 }];
    expect(setStatusCondition(conditions, ready, now)).toBe(true);
    expect(conditions).toStrictEqual([ready]);
  });
});

describe('finding and removing', () => {
  const conditions: Condition[] = [{ ...ready }, { ...ready, type: 'Failed', status: 'False' }];

  it('finds by type and status', () => {
    expect(findStatusCondition(conditions, 'Ready')).toBe(conditions[0]);
    expect(findStatusCondition(undefined, 'Ready')).toBeUndefined();
    expect(isStatusConditionTrue(conditions, 'Ready')).toBe(true);
    expect(isStatusConditionFalse(conditions, 'Ready')).toBe(false);
    expect(isStatusConditionFalse(conditions, 'Failed')).toBe(true);
    expect(isStatusConditionFalse(conditions, 'Missing')).toBe(false);
    expect(isStatusConditionPresentAndEqual(conditions, 'Missing', 'Unknown')).toBe(false);
  });

  it('removes in place', () => {
    const list = [...conditions];
    expect(removeStatusCondition(list, 'Missing')).toBe(false);
    expect(removeStatusCondition(list, 'Ready')).toBe(true);
    expect(list.map((condition) => condition.type)).toEqual(['Failed']);
    expect(removeStatusCondition(undefined, 'Ready')).toBe(false);
  });
});
