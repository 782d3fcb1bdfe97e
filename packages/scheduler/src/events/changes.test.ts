import type { Node, Pod } from '@coxswain/api/core/v1';
import { expect, it } from 'vitest';
import { Action, type ClusterEvent } from '../framework/cluster-event.ts';
import { eventLabel, isWildcard, matchesEvent, unschedulableTimeout } from './cluster-events.ts';
import { nodeChanges } from './node-changes.ts';
import { podChanges } from './pod-changes.ts';

const pod = (change: Pick<Pod, 'spec' | 'status'> & { labels?: Record<string, string> } = {}): Pod => ({
  metadata: { name: 'a', namespace: 'x', uid: '1', ...(change.labels && { labels: change.labels }) },
  spec: { containers: [{ name: 'c' }], ...change.spec },
  status: { phase: 'Pending', ...change.status },
});

/** A pod with a node that requests 1 CPU. `status` may show more in use: then it is being resized down. */
const resized = (status: Pod['status']): Pod => pod({ spec: { ...requests('1')!, nodeName: 'n' }, status });
const inForce = (cpu: string, restartCount = 0) => ({
  name: 'c',
  image: '',
  imageID: '',
  ready: true,
  restartCount,
  resources: { requests: { cpu } },
  allocatedResources: { cpu },
});
const wholePod = (cpu: string): Pod =>
  pod({
    spec: { containers: [], nodeName: 'n', resources: { requests: { cpu: '1' } } },
    status: { resources: { requests: { cpu } }, allocatedResources: { cpu } },
  });

const requests = (cpu: string, extra: Record<string, string> = {}): Pod['spec'] => ({
  containers: [{ name: 'c', resources: { requests: { cpu, ...extra } } }],
});

it.each<[string, Pod, Pod, string[]]>([
  ['its labels', pod(), pod({ labels: { a: '1' } }), ['UnschedulablePodUpdatePodLabel']],
  ['no labels to empty labels', pod(), pod({ labels: {} }), ['UnschedulablePodUpdate']],
  [
    'its last scheduling gate removed',
    pod({ spec: { containers: [], schedulingGates: [{ name: 'g' }] } }),
    pod(),
    ['UnschedulablePodUpdatePodSchedulingGatesEliminated'],
  ],
  [
    'one of two scheduling gates removed',
    pod({ spec: { containers: [], schedulingGates: [{ name: 'g' }, { name: 'h' }] } }),
    pod({ spec: { containers: [], schedulingGates: [{ name: 'g' }] } }),
    ['UnschedulablePodUpdate'],
  ],
  [
    'an added toleration',
    pod(),
    pod({ spec: { containers: [], tolerations: [{ operator: 'Exists' }] } }),
    ['UnschedulablePodUpdatePodToleration'],
  ],
  [
    'a claim generated for it',
    pod(),
    pod({ status: { resourceClaimStatuses: [{ name: 'gpu', resourceClaimName: 'a-gpu' }] } }),
    ['UnschedulablePodUpdatePodGeneratedResourceClaim'],
  ],
  [
    'a claim for its extended resources',
    pod(),
    pod({ status: { extendedResourceClaimStatus: { resourceClaimName: 'a-ext', requestMappings: [] } } }),
    ['UnschedulablePodUpdatePodGeneratedResourceClaim'],
  ],
  ['its status', pod(), pod({ status: { message: 'hello' } }), ['UnschedulablePodUpdate']],
  ['less CPU', pod({ spec: requests('2') }), pod({ spec: requests('1') }), ['UnschedulablePodUpdatePodScaleDown']],
  ['more CPU', pod({ spec: requests('1') }), pod({ spec: requests('2') }), ['UnschedulablePodUpdate']],
  [
    'more CPU, but no device any more',
    pod({ spec: requests('1', { 'example.com/gpu': '1' }) }),
    pod({ spec: requests('2') }),
    ['UnschedulablePodUpdatePodScaleDown'],
  ],
  [
    'less CPU in use',
    resized({ containerStatuses: [inForce('2')] }),
    resized({ containerStatuses: [inForce('1')] }),
    ['AssignedPodUpdatePodScaleDown'],
  ],
  [
    'as much CPU in use as before, after a restart',
    resized({ containerStatuses: [inForce('2')] }),
    resized({ containerStatuses: [inForce('2', 1)] }),
    ['AssignedPodUpdate'],
  ],
  ['less in use at pod level', wholePod('2'), wholePod('1'), ['AssignedPodUpdatePodScaleDown']],
  [
    'labels and tolerations of a pod with a node',
    pod({ spec: { containers: [], nodeName: 'n' } }),
    pod({ labels: { a: '1' }, spec: { containers: [], nodeName: 'n', tolerations: [{ operator: 'Exists' }] } }),
    ['AssignedPodUpdatePodLabel', 'AssignedPodUpdatePodToleration'],
  ],
])('recognizes changes of a pod: %s', (_, old, next, expected) => {
  expect(podChanges(old, next).map(eventLabel)).toEqual(expected);
});

const ready = (status: string, lastHeartbeatTime = '2026-01-01T00:00:00Z') => ({
  conditions: [
    { type: 'Ready', status, lastHeartbeatTime },
    { type: 'DiskPressure', status: 'False' },
  ],
});
const node = (change: Partial<Node['metadata']> = {}, spec: Node['spec'] = {}, status: Node['status'] = {}): Node => ({
  metadata: { name: 'n', ...change },
  spec,
  status,
});

it.each<[string, Node, Node, string[]]>([
  ['a heartbeat', node({}, {}, ready('True')), node({}, {}, ready('True', '2026-01-01T00:05:00Z')), []],
  ['readiness', node({}, {}, ready('False')), node({}, {}, ready('True')), ['NodeUpdateNodeCondition']],
  [
    'the same conditions in another order',
    node({}, {}, ready('True')),
    node({}, {}, { conditions: ready('True').conditions.toReversed() }),
    [],
  ],
  ['a label', node({ labels: { a: '1' } }), node({ labels: { a: '2' } }), ['NodeUpdateNodeLabel']],
  ['an annotation', node(), node({ annotations: { a: '2' } }), ['NodeUpdateNodeAnnotation']],
  ['allocatable resources', node(), node({}, {}, { allocatable: { cpu: '1' } }), ['NodeUpdateNodeAllocatable']],
  ['capacity', node(), node({}, {}, { capacity: { cpu: '1' } }), []],
  ['a taint', node({}, { taints: [{ key: 'a', effect: 'NoSchedule' }] }), node(), ['NodeUpdateNodeTaint']],
  ['schedulable again', node({}, { unschedulable: true }), node(), ['NodeUpdateNodeTaint']],
  ['unschedulable', node(), node({}, { unschedulable: true }), []],
  ['a declared feature', node(), node({}, {}, { declaredFeatures: ['A'] }), ['NodeUpdateNodeDeclaredFeature']],
  [
    'schedulable again without its taint, and a label',
    node({}, { unschedulable: true, taints: [{ key: 'a', effect: 'NoSchedule' }] }),
    node({ labels: { a: '1' } }),
    ['NodeUpdateNodeLabel', 'NodeUpdateNodeTaint'],
  ],
])('recognizes changes of a node: %s', (_, old, next, expected) => {
  expect(nodeChanges(old, next).map(eventLabel)).toEqual(expected);
});

it.each<[string, ClusterEvent, ClusterEvent, boolean]>([
  ['the same', { resource: 'Node', action: Action.Add }, { resource: 'Node', action: Action.Add }, true],
  [
    'one of several',
    { resource: 'Node', action: Action.Add | Action.UpdateNodeLabel },
    { resource: 'Node', action: Action.UpdateNodeLabel },
    true,
  ],
  [
    'any update',
    { resource: 'Node', action: Action.Update },
    { resource: 'Node', action: Action.UpdateNodeTaint },
    true,
  ],
  [
    'an update without a specific action',
    { resource: 'Pod', action: Action.UpdatePodLabel },
    { resource: 'Pod', action: Action.UpdateOther },
    false,
  ],
  ['another resource', { resource: 'Pod', action: Action.All }, { resource: 'Node', action: Action.Add }, false],
  ['any resource', { resource: '*', action: Action.Add }, { resource: 'Node', action: Action.Add }, true],
  ['any resource, other action', { resource: '*', action: Action.Add }, { resource: 'Node', action: 2 }, false],
  ['everything', { resource: '*', action: Action.All }, { resource: 'Node', action: Action.Delete }, true],
  [
    'a wildcard event, registered for one resource',
    { resource: 'Node', action: Action.All },
    unschedulableTimeout,
    false,
  ],
])('matches events: %s', (_, registered, happened, expected) => {
  expect(matchesEvent(registered, happened)).toBe(expected);
});

it('labels events as kube-scheduler does', () => {
  expect(eventLabel({ resource: 'storage.k8s.io/CSINode', action: Action.UpdateOther })).toBe(
    'storage.k8s.io/CSINodeUpdate',
  );
  expect(eventLabel({ resource: 'Node', action: Action.All })).toBe('NodeAll');
  expect(eventLabel(unschedulableTimeout)).toBe('UnschedulableTimeout');
  expect(isWildcard(unschedulableTimeout)).toBe(true);
});
