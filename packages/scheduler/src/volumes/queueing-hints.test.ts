import type { Pod, Volume } from '@coxswain/api/core/v1';
import type { KubernetesObject } from '@coxswain/apimachinery/meta';
import { describe, expect, it } from 'vitest';
import { Action } from '../framework/cluster-event.ts';
import type { PluginDefinition } from '../framework/handle.ts';
import { nodeVolumeLimits } from '../plugins/node-volume-limits/index.ts';
import { volumeBinding } from '../plugins/volume-binding/index.ts';
import { volumeRestrictions } from '../plugins/volume-restrictions/index.ts';
import { volumeZone } from '../plugins/volume-zone/index.ts';
import { volumeHandle } from './volume-handle.test-data.ts';

type Change = readonly [before: KubernetesObject | undefined, after: KubernetesObject | undefined];

const pod = (...volumes: Omit<Volume, 'name'>[]): Pod => ({
  metadata: { name: 'p', namespace: 'x', uid: 'p' },
  spec: { nodeName: 'n', containers: [], volumes: volumes.map((volume, i) => ({ name: `v${i}`, ...volume })) },
});
const waiting = pod(
  { persistentVolumeClaim: { claimName: 'c' } },
  { ephemeral: {} },
  { gcePersistentDisk: { pdName: 'd' } },
  { csi: { driver: 'csi' } },
);

/** Returns the plug-in's hint for the waiting pod; undefined when the plug-in is not registered for the event. */
function hint(definition: PluginDefinition, resource: string, [before, after]: Change, of: Pod = waiting) {
  const { handle } = volumeHandle([], []);
  const plugin = definition.create(definition.readArgs?.(undefined), handle);
  const action = before ? (after ? Action.UpdateOther | Action.UpdateNodeLabel : Action.Delete) : Action.Add;
  const registered = plugin
    .eventsToRegister?.()
    .find(({ event }) => event.resource === resource && (event.action & action) !== 0);
  return registered && (registered.hint?.(of, before, after) ?? 'Queue');
}

const claim = (name: string, namespace = 'x'): KubernetesObject => ({ metadata: { name, namespace } });
const object = (fields: object, annotations?: Record<string, string>): KubernetesObject => ({
  metadata: { name: 'csi', ...(annotations && { annotations }) },
  ...fields,
});
const csiNode = (count?: number, annotations?: Record<string, string>): KubernetesObject =>
  object(
    { spec: { drivers: [{ name: 'csi', nodeID: 'n', ...(count !== undefined && { allocatable: { count } }) }] } },
    annotations,
  );
const labelled = (labels: Record<string, string>): KubernetesObject => ({ metadata: { name: 'v', labels } });
const attachment = (attacher: string): KubernetesObject => object({ spec: { attacher, nodeName: 'n', source: {} } });
const binding = volumeBinding as PluginDefinition;
const migrated = { 'storage.alpha.kubernetes.io/migrated-plugins': 'kubernetes.io/gce-pd' };
const topologies = [{ matchLabelExpressions: [{ key: 'zone', values: ['a'] }] }];

describe('a pod that was rejected for its volumes', () => {
  it.each<[string, PluginDefinition, string, Change, string | undefined]>([
    ['its claim is created', volumeRestrictions, 'PersistentVolumeClaim', [undefined, claim('c')], 'Queue'],
    ['another claim is created', volumeRestrictions, 'PersistentVolumeClaim', [undefined, claim('d')], 'Skip'],
    [
      'a claim in another namespace is created',
      volumeRestrictions,
      'PersistentVolumeClaim',
      [undefined, claim('c', 'y')],
      'Skip',
    ],
    [
      'its disk becomes free',
      volumeRestrictions,
      'Pod',
      [pod({ gcePersistentDisk: { pdName: 'd' } }), undefined],
      'Queue',
    ],
    [
      'its claim becomes free',
      volumeRestrictions,
      'Pod',
      [pod({ persistentVolumeClaim: { claimName: 'c' } }), undefined],
      'Queue',
    ],
    [
      'another disk becomes free',
      volumeRestrictions,
      'Pod',
      [pod({ gcePersistentDisk: { pdName: 'e' } }), undefined],
      'Skip',
    ],
    ['a node is added', volumeRestrictions, 'Node', [undefined, labelled({})], 'Queue'],

    ['a node reports its attach limit', nodeVolumeLimits, 'storage.k8s.io/CSINode', [undefined, csiNode(1)], 'Queue'],
    ['a node’s attach limit increases', nodeVolumeLimits, 'storage.k8s.io/CSINode', [csiNode(1), csiNode(2)], 'Queue'],
    ['a node’s attach limit decreases', nodeVolumeLimits, 'storage.k8s.io/CSINode', [csiNode(2), csiNode(1)], 'Skip'],
    ['a pod with volumes is deleted', nodeVolumeLimits, 'Pod', [pod({ ephemeral: {} }), undefined], 'Queue'],
    ['a pod without volumes is deleted', nodeVolumeLimits, 'Pod', [pod({ emptyDir: {} }), undefined], 'Skip'],
    ['its ephemeral claim is created', nodeVolumeLimits, 'PersistentVolumeClaim', [undefined, claim('p-v1')], 'Queue'],
    [
      'a volume is detached',
      nodeVolumeLimits,
      'storage.k8s.io/VolumeAttachment',
      [attachment('any'), undefined],
      'Queue',
    ],

    [
      'a class with WaitForFirstConsumer is created',
      volumeZone,
      'storage.k8s.io/StorageClass',
      [undefined, object({ volumeBindingMode: 'WaitForFirstConsumer' })],
      'Queue',
    ],
    [
      'another class is created',
      volumeZone,
      'storage.k8s.io/StorageClass',
      [undefined, object({ volumeBindingMode: 'Immediate' })],
      'Skip',
    ],
    ['its claim changes', volumeZone, 'PersistentVolumeClaim', [claim('c'), claim('c')], 'Queue'],
    ['another claim changes', volumeZone, 'PersistentVolumeClaim', [claim('d'), claim('d')], 'Skip'],
    ['a volume is created', volumeZone, 'PersistentVolume', [undefined, labelled({})], 'Queue'],
    [
      'a volume’s zone changes',
      volumeZone,
      'PersistentVolume',
      [labelled({}), labelled({ 'topology.kubernetes.io/zone': 'a' })],
      'Queue',
    ],
    [
      'a volume’s other labels change',
      volumeZone,
      'PersistentVolume',
      [labelled({}), labelled({ tier: 'fast' })],
      'Skip',
    ],
    ['a node’s labels change', volumeZone, 'Node', [labelled({}), labelled({ a: 'b' })], 'Queue'],

    ['a class is created', binding, 'storage.k8s.io/StorageClass', [undefined, object({})], 'Queue'],
    [
      'a class’s allowed topologies change',
      binding,
      'storage.k8s.io/StorageClass',
      [object({}), object({ allowedTopologies: topologies })],
      'Queue',
    ],
    [
      'another field of a class changes',
      binding,
      'storage.k8s.io/StorageClass',
      [object({}), object({ mountOptions: ['ro'] })],
      'Skip',
    ],
    ['its ephemeral claim changes', binding, 'PersistentVolumeClaim', [claim('p-v1'), claim('p-v1')], 'Queue'],
    ['another claim changes', binding, 'PersistentVolumeClaim', [claim('d'), claim('d')], 'Skip'],
    ['a volume changes', binding, 'PersistentVolume', [labelled({}), labelled({})], 'Queue'],
    ['a node’s labels change', binding, 'Node', [labelled({}), labelled({ a: 'b' })], 'Queue'],
    ['a plug-in is migrated on a node', binding, 'storage.k8s.io/CSINode', [csiNode(1), csiNode(1, migrated)], 'Queue'],
    ['a node’s attach limit increases', binding, 'storage.k8s.io/CSINode', [csiNode(1), csiNode(2)], 'Skip'],
    [
      'its driver stops publishing storage capacity',
      binding,
      'storage.k8s.io/CSIDriver',
      [object({ spec: { storageCapacity: true } }), object({ spec: {} })],
      'Queue',
    ],
    [
      'its driver starts publishing storage capacity',
      binding,
      'storage.k8s.io/CSIDriver',
      [object({ spec: {} }), object({ spec: { storageCapacity: true } })],
      'Skip',
    ],
    ['a CSIStorageCapacity is created', binding, 'storage.k8s.io/CSIStorageCapacity', [undefined, object({})], 'Queue'],
    [
      'a CSIStorageCapacity increases',
      binding,
      'storage.k8s.io/CSIStorageCapacity',
      [object({ capacity: '1Gi' }), object({ capacity: '2Gi' })],
      'Queue',
    ],
    [
      'a CSIStorageCapacity decreases',
      binding,
      'storage.k8s.io/CSIStorageCapacity',
      [object({ capacity: '2Gi' }), object({ capacity: '1Gi' })],
      'Skip',
    ],
    [
      'a CSIStorageCapacity is deleted',
      binding,
      'storage.k8s.io/CSIStorageCapacity',
      [object({ capacity: '2Gi' }), undefined],
      undefined,
    ],
  ])('when %s (%#)', (_, plugin, resource, change, expected) => {
    expect(hint(plugin, resource, change)).toBe(expected);
  });

  it('is retried when a volume of its driver is detached', () => {
    const inline = pod({ awsElasticBlockStore: { volumeID: 'vol-1' } });
    const kind = 'storage.k8s.io/VolumeAttachment';
    expect(hint(nodeVolumeLimits, kind, [attachment('ebs.csi.aws.com'), undefined], inline)).toBe('Queue');
    expect(hint(nodeVolumeLimits, kind, [attachment('csi.example'), undefined], inline)).toBe('Skip');
  });

  it('is not retried for the deletion of a pod without a node', () => {
    const { spec, metadata } = pod({ ephemeral: {} });
    const unplaced: Pod = { metadata, spec: { ...spec, containers: [], nodeName: '' } };
    expect(hint(nodeVolumeLimits, 'Pod', [unplaced, undefined])).toBe('Skip');
  });
});
