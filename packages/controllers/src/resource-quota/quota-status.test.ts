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

describe('the status of a quota', () => {
  const cases: Record<string, [ResourceQuota, counted: Lists, expected: ReturnType<typeof quotaStatus>]> = {
    'that has none yet': [quota({ pods: '2' }), { pods: '1' }, { hard: { pods: '2' }, used: { pods: '1' } }],
    'that says so already': [
      quota({ pods: '2', cpu: '1' }, { hard: { pods: '2', cpu: '1000m' }, used: { pods: '1', cpu: '500m' } }),
      { pods: '1', cpu: '0.5' },
      undefined,
    ],
    'of what was counted otherwise': [
      quota({ pods: '2' }, { hard: { pods: '2' }, used: { pods: '2' } }),
      { pods: '1' },
      { hard: { pods: '2' }, used: { pods: '1' } },
    ],
    'of what cannot be counted': [
      quota({ pods: '2', 'count/x': '1' }, { hard: { pods: '2', 'count/x': '1' }, used: { 'count/x': '1' } }),
      { pods: '0' },
      { hard: { pods: '2', 'count/x': '1' }, used: { pods: '0', 'count/x': '1' } },
    ],
    'of which a limit is gone': [
      quota({ pods: '2' }, { hard: { pods: '2', cpu: '1' }, used: { pods: '1', cpu: '1' } }),
      { pods: '1' },
      { hard: { pods: '2' }, used: { pods: '1' } },
    ],
    'that limits nothing': [quota({}), {}, undefined],
    'that limits what nobody can count': [quota({ x: '1' }, { hard: { x: '1' } }), {}, undefined],
  };
  it.each(Object.entries(cases))('%s', (_, [of, counted, expected]) => {
    expect(quotaStatus(of, counted)).toEqual(expected);
  });
});

it('compares amounts, not how they are written', () => {
  expect(isSameList({ cpu: '1' }, { cpu: '1000m' })).toBe(true);
  expect(isSameList({ cpu: '1' }, { cpu: '1001m' })).toBe(false);
  expect(isSameList({ cpu: '1' }, { memory: '1' })).toBe(false);
  expect(isSameList({ cpu: '1' }, { cpu: '1', memory: '1' })).toBe(false);
  expect(isSameList(undefined, {})).toBe(true);
});
