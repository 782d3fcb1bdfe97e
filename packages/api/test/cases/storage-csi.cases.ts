import type { Base, Case, CaseSuite } from '../case.ts';
import { edit } from '../edit.ts';

const object = (kind: string, name: string, spec: object): Base => ({
  object: { apiVersion: 'storage.k8s.io/v1', kind, metadata: { name }, spec },
});
const create =
  (base: string) =>
  (changes: Record<string, unknown>): Case => ({ create: base, change: edit(changes) });
const driver = create('driver');
const node = create('node');
const attachment = create('attachment');
const update = (base: string, changes: Record<string, unknown>, subresource?: string): Case => ({
  update: base,
  change: edit(changes),
  ...(subresource && { subresource }),
});
const inline = {
  accessModes: ['ReadWriteOnce'],
  csi: { driver: 'disk.example.com', volumeHandle: 'x' },
};
const onNode = { name: 'disk.example.com', nodeID: 'node-1', topologyKeys: ['zone'], allocatable: { count: 3 } };

export const suite: CaseSuite = {
  bases: {
    driver: object('CSIDriver', 'cases.example.com', {}),
    fullDriver: object('CSIDriver', 'full.example.com', {
      attachRequired: false,
      podInfoOnMount: true,
      storageCapacity: true,
      requiresRepublish: true,
      volumeLifecycleModes: ['Persistent', 'Ephemeral'],
      tokenRequests: [{ audience: '' }, { audience: 'a', expirationSeconds: 600 }],
      serviceAccountTokenInSecrets: true,
    }),
    node: object('CSINode', 'cases-node', { drivers: [onNode] }),
    attachment: object('VolumeAttachment', 'cases-attachment', {
      attacher: 'disk.example.com',
      nodeName: 'node-1',
      source: { persistentVolumeName: 'pv' },
    }),
    attached: {
      ...object('VolumeAttachment', 'cases-attached', {
        attacher: 'disk.example.com',
        nodeName: 'node-1',
        source: { inlineVolumeSpec: inline },
      }),
      status: { attached: true, attachmentMetadata: { a: 'b' } },
    },
  },
  cases: {
    'everything about a driver has a default': driver({}),
    'what is said of a driver is kept': driver({
      'metadata.generation': 5,
      'spec.attachRequired': false,
      'spec.fsGroupPolicy': 'File',
      'spec.seLinuxMount': true,
      'spec.volumeLifecycleModes': ['Ephemeral'],
      'spec.nodeAllocatableUpdatePeriodSeconds': 10,
      'spec.preventPodSchedulingIfMissing': true,
      'spec.tokenRequests': [{ audience: 'a', expirationSeconds: 2 ** 32 }],
      'spec.serviceAccountTokenInSecrets': false,
    }),
    'a driver is told where its tokens could be safer': driver({ 'spec.tokenRequests': [{ audience: '' }] }),
    'bad settings of a driver are refused': driver({
      'spec.fsGroupPolicy': 'Group',
      'spec.volumeLifecycleModes': ['Persistent', 'Eternal', ''],
      'spec.nodeAllocatableUpdatePeriodSeconds': 9,
      'spec.serviceAccountTokenInSecrets': true,
    }),
    'bad requests for tokens are refused': driver({
      'spec.tokenRequests': [
        { audience: 'a', expirationSeconds: 599 },
        { audience: 'a', expirationSeconds: 1 },
        { audience: 'b', expirationSeconds: 2 ** 32 + 1 },
        { audience: '' },
        {},
      ],
    }),
    'a driver has a generation from its first change on': update('driver', { 'spec.podInfoOnMount': true }),
    'labels of a driver do not change its generation': update('driver', { 'metadata.labels': { a: 'b' } }),
    'a new request for tokens causes the advice again': update('fullDriver', {
      'spec.tokenRequests': [{ audience: 'c' }],
      'spec.serviceAccountTokenInSecrets': undefined,
    }),
    'an old request for tokens causes no advice': update('fullDriver', {
      'spec.serviceAccountTokenInSecrets': undefined,
    }),
    'attaching and modes cannot change': update('driver', {
      'spec.attachRequired': false,
      'spec.volumeLifecycleModes': ['Ephemeral', 'x'],
      'metadata.labels': { 'a b': '' },
    }),
    'a driver is shown': { table: 'driver' },
    'a driver with everything is shown': { table: 'fullDriver' },

    'a node without a spec is taken': node({ spec: undefined }),
    'drivers of a node are kept': node({}),
    'bad drivers of a node are refused': node({
      'spec.drivers': [
        {},
        { name: 'A_b', nodeID: 'x'.repeat(257), allocatable: { count: -1 } },
        { name: `${'a'.repeat(64)}.b`, nodeID: 'x', topologyKeys: ['', 'a b', 'c', 'c'] },
        { name: 'A_b', nodeID: 'x', allocatable: {} },
      ],
    }),
    'drivers can come and go': update('node', { 'spec.drivers': [{ name: 'other.example.com', nodeID: 'x' }] }),
    'what a driver can take may change': update('node', { 'spec.drivers.0.allocatable.count': 5 }),
    'what a driver said cannot change': update('node', {
      'spec.drivers.0.nodeID': 'other',
      'spec.drivers.0.topologyKeys': undefined,
      'metadata.labels': { 'a b': '' },
    }),
    'the count of drivers of a node is shown': { table: 'node' },

    'a volume can be attached by name': attachment({ status: { attached: true } }),
    'a volume can be attached inline': attachment({ 'spec.source': { inlineVolumeSpec: inline } }),
    'an attachment must say all': attachment({ spec: {} }),
    'an attachment needs a volume with a name': attachment({ 'spec.source.persistentVolumeName': '' }),
    'an attachment is of one volume': attachment({ 'spec.source.inlineVolumeSpec': inline }),
    'bad names in an attachment are refused': attachment({
      'spec.attacher': `A_${'b'.repeat(64)}`,
      'spec.nodeName': 'A_b',
      'spec.source.persistentVolumeName': 'A_b',
    }),
    'a bad inline volume is refused': attachment({
      'spec.source': {
        inlineVolumeSpec: {
          claimRef: { name: 'x' },
          capacity: { storage: '1Gi' },
          persistentVolumeReclaimPolicy: 'Delete',
          hostPath: { path: '/x' },
          nodeAffinity: {},
        },
      },
    }),
    'an attachment cannot change': update('attachment', {
      'spec.nodeName': 'node-2',
      'spec.source.persistentVolumeName': 'other',
      'metadata.labels': { 'a b': '' },
    }),
    'an inline attachment cannot change': update('attached', { 'spec.source.inlineVolumeSpec.csi.volumeHandle': 'y' }),
    'labels of an attachment can change, not its status': update('attached', {
      'metadata.labels': { a: 'b' },
      'status.attached': false,
    }),
    'status of an attachment keeps the rest': update(
      'attachment',
      {
        'metadata.labels': { a: 'b' },
        'spec.nodeName': 'other',
        status: { attached: true, attachError: { message: 'x', errorCode: 5, time: '2026-01-01T00:00:00Z' } },
      },
      'status',
    ),
    'a bad status of an attachment is refused': update(
      'attachment',
      {
        status: {
          attached: false,
          attachmentMetadata: { a: 'x'.repeat(256 * 1024) },
          attachError: { message: 'x'.repeat(1025), errorCode: -1 },
          detachError: { message: 'x'.repeat(1025), errorCode: -2 },
        },
      },
      'status',
    ),
    'an attachment is shown': { table: 'attachment' },
    'an inline attachment is shown': { table: 'attached' },
  },
};
