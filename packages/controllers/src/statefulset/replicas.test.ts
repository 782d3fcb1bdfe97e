import type { StatefulSet } from '@coxswain/api/apps/v1';
import type { Pod } from '@coxswain/api/core/v1';
import { describe, expect, it } from 'vitest';
import { podNameLabel, revisionLabel } from './identity.ts';
import { nextToCondemn, sortOut, stepFor } from './replicas.ts';
import { podsToUpdate, staysAtCurrentRevision } from './rolling-update.ts';

const now = Date.parse('2026-01-01T00:01:00Z');
const readiness = { minReadySeconds: 10, now };

/** `a`vailable, `r`eady since just now, `u`nready, `p`ending, `f`ailed. Upper case means terminating. */
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

/** One pod for each letter, none for `-`. A `+` means of the new revision. */
const podsOf = (states: string): Pod[] =>
  (states.match(/\+?[a-zA-Z-]/g) ?? []).flatMap((state, i) =>
    state === '-' ? [] : [podOf(`web-${i}`, state.replace('+', ''), state.startsWith('+') ? 'new' : 'old')],
  );

const nameOf = (pod: Pod | undefined): string | undefined => pod?.metadata.name;

it('sortOut sorts pods by ordinal', () => {
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

describe('stepFor a pod', () => {
  it.each<[string, string, string, boolean]>([
    ['that is missing', '-', 'create', true],
    ['that has failed', 'f', 'delete', true],
    ['that has failed and is terminating', 'F', '', true],
    ['that is pending', 'p', 'createClaims', true],
    ['that is not ready', 'u', '', true],
    ['that became ready just now', 'r', '', true],
    ['that is terminating', 'A', '', true],
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

  it('that is missing while claims of the previous one exist', () => {
    const conditions = { ...readiness, isOrdered: true, hasStaleClaim: () => true, isInOrder: () => true };
    expect(stepFor({ ordinal: 0, pod: undefined }, conditions)).toEqual({ actions: [], blocks: true });
  });
});

it.each<[string, string, number, string | undefined]>([
  ['no pod is surplus', 'aaa', 3, undefined],
  ['all are available', 'aaaa', 2, 'web-3'],
  ['the highest is terminating', 'aaaA', 2, undefined],
  ['only the highest is unavailable', 'aaau', 2, 'web-3'],
  ['a lower condemned one is unavailable too', 'aauu', 2, undefined],
  ['only a lower one is unavailable', 'aaua', 2, 'web-3'],
  ['a wanted one and the highest are unavailable', 'auau', 2, undefined],
])('nextToCondemn when %s', (_, states, replicas, expected) => {
  const set = setOf(replicas);
  expect(nameOf(nextToCondemn(sortOut(set, podsOf(states)), readiness))).toBe(expected);
});

it.each<[string, string, object | undefined, string[]]>([
  ['the highest old pod', 'aa+a', undefined, ['web-1']],
  ['none while a new pod is unavailable', 'aa+r', undefined, []],
  ['an old pod that is unavailable', 'aau', undefined, ['web-2']],
  ['none while an old pod is terminating', 'aaA', undefined, []],
  ['none below the partition', 'aa+a', { partition: 2 }, []],
  ['no new pods', '+a+a', undefined, []],
  ['up to maxUnavailable pods', 'aaaa', { partition: 0, maxUnavailable: 2 }, ['web-3', 'web-2']],
  ['fewer when some are unavailable', 'aaa+u', { partition: 0, maxUnavailable: 2 }, ['web-2']],
  ['none when too many are unavailable', 'aa+u+u', { partition: 0, maxUnavailable: 2 }, []],
  ['at least one pod at a time', 'aaaa', { partition: 0, maxUnavailable: '10%' }, ['web-3']],
  ['only pods at or above the partition', 'aaaa', { partition: 3, maxUnavailable: 4 }, ['web-3']],
])('podsToUpdate returns %s', (_, states, rollingUpdate, expected) => {
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

it('staysAtCurrentRevision is true below the partition', () => {
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
