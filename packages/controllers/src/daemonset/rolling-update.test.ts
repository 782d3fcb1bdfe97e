import type { DaemonSet } from '@coxswain/api/apps/v1';
import type { Pod } from '@coxswain/api/core/v1';
import type { IntOrString } from '@coxswain/apimachinery/meta';
import { describe, expect, it } from 'vitest';
import { hashLabel } from './daemon-pod.ts';
import { planNode } from './node-plan.ts';
import type { NodeView } from './placement.ts';
import { allowsSurge, planUpdate, updateLimits } from './rolling-update.ts';

const now = Date.parse('2026-01-01T00:01:00Z');

/** `a`vailable, `u`nready, `f`ailed, `s`ucceeded; `+` means of the new template, upper case means terminating. */
function podOf(name: string, state: string): Pod {
  const letter = state.replace('+', '');
  const kind = letter.toLowerCase();
  return {
    metadata: {
      name,
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels: { [hashLabel]: state.startsWith('+') ? 'new' : 'old' },
      ...(letter !== kind && { deletionTimestamp: '2026-01-01T00:01:00Z' }),
    },
    spec: { nodeName: 'n', containers: [] },
    status: {
      phase: kind === 'f' ? 'Failed' : kind === 's' ? 'Succeeded' : 'Running',
      conditions: [{ type: 'Ready', status: kind === 'a' ? 'True' : 'False' }],
    },
  };
}

/** Pods by their letters. A leading `!` means that the node must not have a pod, `~` that it must not get a new one. */
function nodeOf(name: string, text: string): NodeView {
  const states = text.match(/\+?[a-zA-Z]/g) ?? [];
  return {
    name,
    shouldRun: !/^[!~]/.test(text),
    shouldContinue: !text.startsWith('!'),
    pods: states.map((state, i) => podOf(`${name}-${i}`, state)),
  };
}

const setOf = (maxUnavailable: IntOrString, maxSurge: IntOrString): DaemonSet => ({
  metadata: { name: 'agent' },
  spec: {
    selector: {},
    template: {},
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable, maxSurge } },
  },
});
const namesOf = (pods: readonly Pod[]): (string | undefined)[] => pods.map(({ metadata }) => metadata.name);

describe('planNode for a node', () => {
  it.each<
    [string, string, boolean, { creates?: boolean; failed?: string[]; succeeded?: string[]; surplus?: string[] }]
  >([
    ['without a pod', '', false, { creates: true }],
    ['without a pod that must not get one', '~', false, {}],
    ['with a pod', 'a', false, {}],
    ['with a terminating pod', 'A', false, {}],
    ['with a terminating pod and surge', 'A', true, { creates: true }],
    ['with a pod that may stay', '~a', false, {}],
    ['that must not have pods', '!aA', false, { surplus: ['n-0'] }],
    ['with terminal pods', 'fs', false, { failed: ['n-0'], succeeded: ['n-1'] }],
    ['with two pods', 'aa', false, { surplus: ['n-1'] }],
    ['with an old pod and a new one that is not ready', 'a+u', true, {}],
    ['with an old pod and a new one that is ready', 'a+a', true, { surplus: ['n-0'] }],
    ['with an old pod and a new one that are both not ready', 'u+u', true, { surplus: ['n-0'] }],
    ['with several old and several new pods', 'aa+u+u', true, { surplus: ['n-1', 'n-3'] }],
  ])('%s', (_, text, surges, expected) => {
    const options = { allowsSurge: surges, hash: 'new', minReadySeconds: 0, now };
    const { creates, failed, succeeded, surplus } = planNode(nodeOf('n', text), options);
    expect({
      creates,
      failed: namesOf(failed),
      succeeded: namesOf(succeeded),
      surplus: namesOf(surplus),
    }).toEqual({ creates: false, failed: [], succeeded: [], surplus: [], ...expected });
  });
});

describe('the limits of an update', () => {
  it.each<[IntOrString, IntOrString, number, [number, number]]>([
    [1, 0, 10, [0, 1]],
    ['25%', 0, 10, [0, 3]],
    [0, '25%', 10, [3, 0]],
    [0, 0, 10, [0, 1]],
    [0, '1%', 0, [0, 0]],
  ])('maxUnavailable %s and maxSurge %s of %d nodes', (maxUnavailable, maxSurge, desired, [surge, unavailable]) => {
    expect(updateLimits(setOf(maxUnavailable, maxSurge), desired)).toEqual({
      maxSurge: surge,
      maxUnavailable: unavailable,
    });
  });

  it('allow a surge only when maxSurge is above 0', () => {
    expect([allowsSurge(setOf(1, 0)), allowsSurge(setOf(0, '1%'))]).toEqual([false, true]);
    const onDelete: DaemonSet = {
      ...setOf(0, 1),
      spec: { ...setOf(0, 1).spec!, updateStrategy: { type: 'OnDelete' } },
    };
    expect(allowsSurge(onDelete)).toBe(false);
  });
});

describe('an update', () => {
  const plan = (set: DaemonSet, ...nodes: string[]): string[] => {
    const views = nodes.map((text, i) => nodeOf(`n${i}`, text));
    const { createsOn, deletes } = planUpdate(
      set,
      { nodes: views, lost: [] },
      {
        isUpdated: ({ metadata }) => metadata.labels?.[hashLabel] === 'new',
        isAvailable: ({ status }) => status?.conditions?.[0]?.status === 'True',
      },
    );
    return [...createsOn.map((name) => `+${name}`), ...namesOf(deletes).map((name) => `-${name}`)];
  };

  it.each<[string, number, string[], string[]]>([
    ['replaces up to maxUnavailable pods', 2, ['a', 'a', 'a'], ['-n0-0', '-n1-0']],
    ['waits for new pods to become available', 1, ['+u', 'a', 'a'], []],
    ['waits for nodes without a pod', 1, ['', 'a', 'a'], []],
    ['waits for terminating pods', 1, ['A', 'a', 'a'], []],
    ['replaces unavailable pods at once', 1, ['u', 'u', 'a'], ['-n0-0', '-n1-0']],
    ['keeps new pods', 3, ['+a', '+u', 'a'], ['-n2-0']],
    ['skips nodes with more than one old pod', 1, ['aa', 'a'], []],
  ])('%s', (_, maxUnavailable, nodes, expected) => {
    expect(plan(setOf(maxUnavailable, 0), ...nodes)).toEqual(expected);
  });

  it.each<[string, number, string[], string[]]>([
    ['creates up to maxSurge pods beside old ones', 2, ['a', 'a', 'a'], ['+n0', '+n1']],
    ['waits until they are available', 1, ['a+u', 'a'], []],
    ['then deletes old pods and continues', 1, ['a+a', 'a'], ['+n1', '-n0-0']],
    ['creates new pods beside unavailable ones at once', 1, ['u', 'u', 'a+u'], ['+n0', '+n1']],
    ['keeps misplaced pods while others are unavailable', 1, ['~a', '+u'], []],
    ['deletes misplaced pods when enough others are available', 1, ['~a', '+a'], ['-n0-0']],
    ['deletes misplaced unavailable pods at once', 1, ['~u', '+u'], ['-n0-0']],
    ['skips nodes with more than one old pod', 1, ['aa', 'a'], []],
  ])('with a surge %s', (_, maxSurge, nodes, expected) => {
    expect(plan(setOf(0, maxSurge), ...nodes)).toEqual(expected);
  });
});
