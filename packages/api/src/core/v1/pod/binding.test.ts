import { describe, expect, it } from 'vitest';
import { FeatureGates } from '../../../features/feature-gates.ts';
import type { Binding, Pod } from '../../../generated/core/v1.ts';
import { bindingConflict, bindPod, validateBinding } from './binding.ts';

const now = new Date('2026-01-02T03:04:05.678Z');
const pod = (fields: Partial<Pod> = {}): Pod => ({
  metadata: { name: 'web', annotations: { own: '1' }, labels: { zone: 'old' } },
  spec: { containers: [] },
  status: { phase: 'Pending', nominatedNodeName: 'hint' },
  ...fields,
});
const binding: Binding = {
  metadata: { name: 'web', annotations: { added: '2' }, labels: { zone: 'new' } },
  target: { kind: 'Node', name: 'node-1' },
};

describe('validateBinding', () => {
  it('requires a node by name', () => {
    expect(validateBinding({ metadata: {}, target: { kind: 'Pod' } }).map(String)).toEqual([
      'target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"',
      'target.name: Required value',
    ]);
    expect(validateBinding({ metadata: {}, target: { name: 'node-1' } })).toEqual([]);
  });
});

describe('bindingConflict', () => {
  it.each<[string, Partial<Pod>, string | undefined]>([
    ['a free pod', {}, undefined],
    [
      'a pod that is being deleted',
      { metadata: { name: 'web', deletionTimestamp: '2026-01-01T00:00:00Z' } },
      'pod web is being deleted, cannot be assigned to a host',
    ],
    ['a bound pod', { spec: { containers: [], nodeName: 'n' } }, 'pod web is already assigned to node "n"'],
    [
      'a gated pod',
      { spec: { containers: [], schedulingGates: [{ name: 'g' }] } },
      'pod web has non-empty .spec.schedulingGates',
    ],
  ])('checks %s', (_, fields, conflict) => expect(bindingConflict(pod(fields))).toBe(conflict));
});

describe('bindPod', () => {
  it('assigns the node, takes over annotations and labels, and sets the PodScheduled condition', () => {
    const bound = pod();
    bindPod(bound, binding, now, FeatureGates.defaults);
    expect(bound).toEqual({
      metadata: { name: 'web', annotations: { own: '1', added: '2' }, labels: { zone: 'new' } },
      spec: { containers: [], nodeName: 'node-1' },
      status: {
        phase: 'Pending',
        conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime: '2026-01-02T03:04:05Z' }],
      },
    });
  });

  it('replaces the condition in its place', () => {
    const bound = pod({
      status: {
        conditions: [
          {
            type: 'PodScheduled',
            status: 'False',
            reason: 'Unschedulable',
            lastTransitionTime: '2026-01-01T00:00:00Z',
          },
          { type: 'Ready', status: 'False' },
        ],
      },
    });
    bindPod(bound, binding, now, FeatureGates.defaults);
    expect(bound.status?.conditions).toEqual([
      { type: 'PodScheduled', status: 'True', lastTransitionTime: '2026-01-02T03:04:05Z' },
      { type: 'Ready', status: 'False' },
    ]);
  });

  it('keeps labels and nominatedNodeName while the features are off', () => {
    const bound = pod();
    const features = new FeatureGates({
      ClearingNominatedNodeNameAfterBinding: false,
      PodTopologyLabelsAdmission: false,
    });
    bindPod(bound, binding, now, features);
    expect(bound.status?.nominatedNodeName).toBe('hint');
    expect(bound.metadata.labels).toEqual({ zone: 'old' });
  });
});
