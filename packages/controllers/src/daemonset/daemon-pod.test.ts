import type { DaemonSet } from '@coxswain/api/apps/v1';
import type { Node, Pod, PodSpec, Taint } from '@coxswain/api/core/v1';
import { describe, expect, it } from 'vitest';
import { daemonTemplate, forNode, isUpdatedBy, targetNode, tolerationsOf } from './daemon-pod.ts';
import { nodeFitOf } from './node-fit.ts';

const setOf = (spec: Partial<PodSpec> = {}, annotations?: Record<string, string>): DaemonSet => ({
  metadata: { name: 'agent', ...(annotations && { annotations }) },
  spec: { selector: {}, template: { metadata: { labels: { app: 'a' } }, spec: { containers: [], ...spec } } },
});
const notReady = { key: 'node.kubernetes.io/not-ready', operator: 'Exists' as const, effect: 'NoExecute' as const };

describe('tolerations', () => {
  it('are those of the template, followed by those of all daemon pods', () => {
    const own = { key: 'mine', operator: 'Exists' as const };
    const all = tolerationsOf({ containers: [], tolerations: [own] });
    expect(all.slice(0, 2)).toEqual([own, notReady]);
    expect(all).toHaveLength(7);
    expect(tolerationsOf({ containers: [], hostNetwork: true }).at(-1)?.key).toBe(
      'node.kubernetes.io/network-unavailable',
    );
  });

  it('of node conditions have no tolerationSeconds', () => {
    const limited = { ...notReady, tolerationSeconds: 5 };
    const all = tolerationsOf({ containers: [], tolerations: [limited] });
    expect(all[0]).toEqual(notReady);
    expect(all).toHaveLength(6);
  });
});

describe('a daemon pod', () => {
  it('has a node affinity for its node and keeps its other affinities', () => {
    const preferred = [{ weight: 1, preference: {} }];
    const others = { nodeSelectorTerms: [{ matchExpressions: [{ key: 'disk', operator: 'Exists' as const }] }] };
    const set = setOf({
      affinity: {
        podAntiAffinity: {},
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: preferred,
          requiredDuringSchedulingIgnoredDuringExecution: others,
        },
      },
    });
    const { spec } = forNode(daemonTemplate(set, 'h'), 'n1');
    expect(spec?.affinity).toEqual({
      podAntiAffinity: {},
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: preferred,
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] }],
        },
      },
    });
    expect(targetNode({ metadata: {}, spec: spec! })).toBe('n1');
    expect(targetNode({ metadata: {}, spec: { ...spec!, nodeName: 'n2' } })).toBe('n2');
    expect(targetNode({ metadata: {}, spec: { containers: [] } })).toBeUndefined();
  });

  it.each<[string, string | undefined, Record<string, string>]>([
    ['with its generation', '3', { 'pod-template-generation': '3' }],
    ['without one', undefined, {}],
    ['with one that is not a number', 'x', {}],
  ])('has labels for its revision, %s', (_, generation, expected) => {
    const set = setOf({}, generation === undefined ? {} : { 'deprecated.daemonset.template.generation': generation });
    expect(daemonTemplate(set, 'h').metadata?.labels).toEqual({
      app: 'a',
      'controller-revision-hash': 'h',
      ...expected,
    });
  });

  it('is up to date if its hash or its generation matches', () => {
    const isUpdated = isUpdatedBy(setOf({}, { 'deprecated.daemonset.template.generation': '3' }), 'h');
    const podOf = (labels: Record<string, string>): Pod => ({ metadata: { labels } });
    expect(isUpdated(podOf({ 'controller-revision-hash': 'h' }))).toBe(true);
    expect(isUpdated(podOf({ 'pod-template-generation': '3' }))).toBe(true);
    expect(isUpdated(podOf({ 'controller-revision-hash': 'g', 'pod-template-generation': '2' }))).toBe(false);
  });
});

it.each<[string, Partial<PodSpec>, Taint[], string]>([
  ['without taints', {}, [], 'run'],
  ['with another name than nodeName', { nodeName: 'n2' }, [], 'no'],
  ['with other labels', { nodeSelector: { disk: 'hdd' } }, [], 'no'],
  ['with a NoSchedule taint', {}, [{ key: 'k', effect: 'NoSchedule' }], 'stay'],
  ['with a PreferNoSchedule taint', {}, [{ key: 'k', effect: 'PreferNoSchedule' }], 'run'],
  ['with a NoExecute taint', {}, [{ key: 'k', effect: 'NoExecute' }], 'no'],
  ['that is cordoned', {}, [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }], 'run'],
  ['that is unreachable', {}, [{ key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' }], 'run'],
  ['that is not initialized', {}, [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }], 'stay'],
  [
    'with an unavailable network',
    {},
    [{ key: 'node.kubernetes.io/network-unavailable', effect: 'NoSchedule' }],
    'stay',
  ],
  [
    'with an unavailable network, for pods with hostNetwork',
    { hostNetwork: true },
    [{ key: 'node.kubernetes.io/network-unavailable', effect: 'NoSchedule' }],
    'run',
  ],
])('a node %s', (_, spec, taints, expected) => {
  const node: Node = { metadata: { name: 'n1', labels: { disk: 'ssd' } }, spec: { taints } };
  const { shouldRun, shouldContinue } = nodeFitOf(setOf(spec))(node);
  expect(shouldRun ? 'run' : shouldContinue ? 'stay' : 'no').toBe(expected);
});
