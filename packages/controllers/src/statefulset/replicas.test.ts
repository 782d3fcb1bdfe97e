import type { StatefulSet } from '@coxswain/api/apps/v1';
import type { Pod } from '@coxswain/api/core/v1';
import { describe, expect, it } from 'vitest';
import { podNameLabel, revisionLabel } from './identity.ts';
import { nextToCondemn, sortOut, stepFor } from './replicas.ts';
import { podsToUpdate, staysAtCurrentRevision } from './rolling-update.ts';

const now = Date.parse('2026-01-01T00:01:00Z');
const readiness = { minReadySeconds: 10, now };

/** `a`vailable, `r`eady only since now, `u`nready, `p`ending, `f`ailed; in upper case about to go. */
function podOf(name: string, state: string, revision = 'old'): Pod {
  const letter = state.toLowerCase();
  const since = letter === 'a' ? '2026-01-01T00:00:00Z' : '2026-01-01T00:01:00Z';
  const phase = letter === 'p' ? 'Pending' : letter === 'f' ? 'Failed' : 'Running';
  const ready = {
    type: 'Ready',
    status: letter === 'a' || letter === 'r' ? 'True' : 'False',
    lastTransitionTime: since,
  };
  return {
    metadata: {
      name,
      labels: { [podNameLabel]: name, [revisionLabel]: revision },
      ...(state !== letter && { deletionTimestamp: '2026-01-01T00:01:00Z' }),
    },
    status: { phase, conditions: [ready] },
  };
}

const setOf = (replicas: number, spec: Partial<StatefulSet['spec']> = {}): StatefulSet => ({
  metadata: { name: 'web' },
  spec: {
    replicas,
    selector: {},
    template: {},
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
    ...spec,
  },
});

/** A pod for each letter, but none for `-`; small letters are old ones, those after a `+` new. */
const podsOf = (states: string): Pod[] =>
  (states.match(/\+?[a-zA-Z-]/g) ?? []).flatMap((state, i) =>
    state === '-' ? [] : [podOf(`web-${i}`, state.replace('+', ''), state.startsWith('+') ? 'new' : 'old')],
  );

const nameOf = (pod: Pod | undefined): string | undefined => pod?.metadata.name;

it('pods are sorted out by their numbers', () => {
  const set = setOf(2, { ordinals: { start: 1 } });
  const names = ['web-0', 'web-2', 'web-10', 'web-3', 'web-99999999999'];
  const { wanted, condemned } = sortOut(
    set,
    names.map((name) => podOf(name, 'a')),
  );
  expect(wanted.map(({ ordinal, pod }) => [ordinal, nameOf(pod)])).toEqual([
    [1, undefined],
    [2, 'web-2'],
  ]);
  expect(condemned.map(nameOf)).toEqual(['web-10', 'web-3', 'web-0']);
});

describe('what is to be done about a pod', () => {
  it.each<[string, string, string, boolean]>([
    ['that is missing', '-', 'create', true],
    ['that has failed', 'f', 'delete', true],
    ['that has failed and is about to go', 'F', '', true],
    ['that waits', 'p', 'createClaims', true],
    ['that is not ready', 'u', '', true],
    ['that has not been ready for long', 'r', '', true],
    ['that is about to go', 'A', '', true],
    ['that is available', 'a', '', false],
  ])('%s', (_, state, action, blocks) => {
    const pod = state === '-' ? undefined : podOf('web-0', state);
    const conditions = { ...readiness, isOrdered: true, hasStaleClaim: () => false, isInOrder: () => true };
    const step = stepFor({ ordinal: 0, pod }, conditions);
    expect(step).toEqual({ actions: action ? [action] : [], blocks });
    if (pod && state.toLowerCase() !== 'f') {
      const parallel = stepFor({ ordinal: 0, pod }, { ...conditions, isOrdered: false, isInOrder: () => false });
      expect(parallel).toEqual({ actions: action ? [action, 'repair'] : ['repair'], blocks: false });
    }
  });

  it('that is missing, while the claims of the last one are still there', () => {
    const conditions = { ...readiness, isOrdered: true, hasStaleClaim: () => true, isInOrder: () => true };
    expect(stepFor({ ordinal: 0, pod: undefined }, conditions)).toEqual({ actions: [], blocks: true });
  });
});

it.each<[string, string, number, string | undefined]>([
  ['none is too many', 'aaa', 3, undefined],
  ['all are well', 'aaaa', 2, 'web-3'],
  ['the highest is about to go', 'aaaA', 2, undefined],
  ['only the highest is unwell', 'aaau', 2, 'web-3'],
  ['a lower one is unwell as well', 'aauu', 2, undefined],
  ['only a lower one is unwell', 'aaua', 2, 'web-3'],
  ['one that stays is unwell, and the highest too', 'auau', 2, undefined],
])('the next to go, when %s', (_, states, replicas, expected) => {
  const set = setOf(replicas);
  expect(nameOf(nextToCondemn(sortOut(set, podsOf(states)), readiness))).toBe(expected);
});

it.each<[string, string, object | undefined, string[]]>([
  ['the highest old one', 'aa+a', undefined, ['web-1']],
  ['none while a new one is not available', 'aa+r', undefined, []],
  ['an old one that is not available', 'aau', undefined, ['web-2']],
  ['none while an old one is about to go', 'aaA', undefined, []],
  ['none below the partition', 'aa+a', { partition: 2 }, []],
  ['none of those that are new', '+a+a', undefined, []],
  ['as many as may be unavailable', 'aaaa', { partition: 0, maxUnavailable: 2 }, ['web-3', 'web-2']],
  ['fewer where some are unavailable', 'aaa+u', { partition: 0, maxUnavailable: 2 }, ['web-2']],
  ['none where too many are', 'aa+u+u', { partition: 0, maxUnavailable: 2 }, []],
  ['at least one at a time', 'aaaa', { partition: 0, maxUnavailable: '10%' }, ['web-3']],
  ['none above what the partition lets', 'aaaa', { partition: 3, maxUnavailable: 4 }, ['web-3']],
])('an update deletes %s', (_, states, rollingUpdate, expected) => {
  const set = setOf(podsOf(states).length, {
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: rollingUpdate ?? { partition: 0 } },
  });
  expect(podsToUpdate(set, sortOut(set, podsOf(states)).wanted, 'new', readiness).map(nameOf)).toEqual(expected);
  expect(
    podsToUpdate(
      { ...set, spec: { ...set.spec!, updateStrategy: { type: 'OnDelete' } } },
      sortOut(set, podsOf(states)).wanted,
      'new',
      readiness,
    ),
  ).toEqual([]);
});

it('pods below the partition are made from the old template', () => {
  const partition = setOf(3, {
    ordinals: { start: 5 },
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } },
  });
  expect([5, 6, 7].map((ordinal) => staysAtCurrentRevision(partition, ordinal))).toEqual([true, true, false]);
  const none: StatefulSet = {
    ...setOf(3, { updateStrategy: { type: 'RollingUpdate' } }),
    status: { replicas: 3, currentReplicas: 1 },
  };
  expect([0, 1].map((ordinal) => staysAtCurrentRevision(none, ordinal))).toEqual([true, false]);
});
