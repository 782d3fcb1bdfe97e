import type { ResourceQuota } from '@coxswain/api/core/v1';
import { describe, expect, it } from 'vitest';
import { isSameList, quotaStatus } from './quota-status.ts';

type Lists = Readonly<Record<string, string>>;
const quota = (hard: Lists, status?: { hard?: Lists; used?: Lists }): ResourceQuota => ({
  metadata: { name: 'q' },
  spec: { hard: { ...hard } },
  ...(status && {
    status: { ...(status.hard && { hard: { ...status.hard } }), ...(status.used && { used: { ...status.used } }) },
  }),
});

describe('quotaStatus', () => {
  const cases: Record<string, [ResourceQuota, counted: Lists, expected: ReturnType<typeof quotaStatus>]> = {
    'of a new quota': [quota({ pods: '2' }), { pods: '1' }, { hard: { pods: '2' }, used: { pods: '1' } }],
    'without changes': [
      quota({ pods: '2', cpu: '1' }, { hard: { pods: '2', cpu: '1000m' }, used: { pods: '1', cpu: '500m' } }),
      { pods: '1', cpu: '0.5' },
      undefined,
    ],
    'with another usage': [
      quota({ pods: '2' }, { hard: { pods: '2' }, used: { pods: '2' } }),
      { pods: '1' },
      { hard: { pods: '2' }, used: { pods: '1' } },
    ],
    'with a resource that cannot be counted': [
      quota({ pods: '2', 'count/x': '1' }, { hard: { pods: '2', 'count/x': '1' }, used: { 'count/x': '1' } }),
      { pods: '0' },
      { hard: { pods: '2', 'count/x': '1' }, used: { pods: '0', 'count/x': '1' } },
    ],
    'with a removed limit': [
      quota({ pods: '2' }, { hard: { pods: '2', cpu: '1' }, used: { pods: '1', cpu: '1' } }),
      { pods: '1' },
      { hard: { pods: '2' }, used: { pods: '1' } },
    ],
    'without limits': [quota({}), {}, undefined],
    'with only resources that cannot be counted': [quota({ x: '1' }, { hard: { x: '1' } }), {}, undefined],
  };
  it.each(Object.entries(cases))('%s', (_, [of, counted, expected]) => {
    expect(quotaStatus(of, counted)).toEqual(expected);
  });
});

it('isSameList compares amounts, not their format', () => {
  expect(isSameList({ cpu: '1' }, { cpu: '1000m' })).toBe(true);
  expect(isSameList({ cpu: '1' }, { cpu: '1001m' })).toBe(false);
  expect(isSameList({ cpu: '1' }, { memory: '1' })).toBe(false);
  expect(isSameList({ cpu: '1' }, { cpu: '1', memory: '1' })).toBe(false);
  expect(isSameList(undefined, {})).toBe(true);
});
