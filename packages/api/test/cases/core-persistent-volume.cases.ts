import type { Base, Case, CaseSuite } from '../case.ts';
import { edit } from '../edit.ts';

const spec = { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' } };
const volume = (name: string, source: object, more: object = {}, metadata: object = {}): Base => ({
  object: {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: `cases-${name}`, ...metadata },
    spec: { ...spec, ...source, ...more },
  },
});
const create = (changes: Record<string, unknown> = {}): Case => ({ create: 'volume', change: edit(changes) });
const source = (sources: object): Case => ({ create: 'volume', change: edit({ spec: { ...spec, ...sources } }) });
const update = (base: string, changes: Record<string, unknown>): Case => ({ update: base, change: edit(changes) });
const mountOptions = 'metadata.annotations[volume.beta.kubernetes.io/mount-options]';
const storageClass = 'metadata.annotations[volume.beta.kubernetes.io/storage-class]';
const secretRef = { name: 's', namespace: 'n' };
const term = (key: string, values = ['a']) => ({
  required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'In', values }] }] },
});

/** A minimal valid value of each source. */
const valid: Record<string, object> = {
  hostPath: { path: '/data' },
  gcePersistentDisk: { pdName: 'd' },
  awsElasticBlockStore: { volumeID: 'v' },
  glusterfs: { endpoints: 'e', path: 'p', endpointsNamespace: 'n' },
  flocker: { datasetName: 'd' },
  nfs: { server: 's', path: '/p' },
  rbd: { monitors: ['m'], image: 'i' },
  quobyte: { registry: 'h:1,g:2', volume: 'v' },
  cephfs: { monitors: ['m'] },
  iscsi: { targetPortal: 't', iqn: 'iqn.2015-02.example.com:test', lun: 1 },
  cinder: { volumeID: 'v', secretRef },
  fc: { targetWWNs: ['w'], lun: 1 },
  flexVolume: { driver: 'd', options: { a: 'b' } },
  azureFile: { secretName: 's', shareName: 's' },
  vsphereVolume: { volumePath: 'p' },
  photonPersistentDisk: { pdID: 'p' },
  portworxVolume: { volumeID: 'v' },
  azureDisk: { diskName: 'd', diskURI: 'https://x' },
  scaleIO: { gateway: 'g', system: 's', secretRef, volumeName: 'v' },
  storageos: { volumeName: 'v', secretRef },
  csi: { driver: 'd.example.com', volumeHandle: 'h' },
};

/** Invalid values of each source, with all errors in one value unless one error hides another. */
const broken: Record<string, object[]> = {
  hostPath: [{ path: '' }, { path: '/a/../b', type: 'Odd' }],
  gcePersistentDisk: [{ pdName: '', partition: 256 }],
  awsElasticBlockStore: [{ volumeID: '', partition: -1 }],
  glusterfs: [
    { endpoints: '', path: '' },
    { endpoints: 'e', path: 'p', endpointsNamespace: 'N_' },
    { endpoints: 'e', path: 'p', endpointsNamespace: '' },
  ],
  flocker: [{}, { datasetName: 'a/b', datasetUUID: 'u' }],
  nfs: [
    { server: '', path: '' },
    { server: 's', path: 'p' },
  ],
  rbd: [{ monitors: [], image: '' }],
  quobyte: [
    { registry: '', volume: '' },
    { registry: 'h', volume: 'v' },
    { registry: 'h:1', volume: 'v', tenant: 'x'.repeat(65) },
  ],
  cephfs: [{ monitors: [] }],
  iscsi: [
    { targetPortal: '', iqn: '', lun: 256, chapAuthSession: true },
    { targetPortal: 't', iqn: 'odd', lun: -1, chapAuthDiscovery: true, secretRef: { name: '' }, initiatorName: 'odd' },
    { targetPortal: 't'.repeat(64), iqn: 'iqn.odd', lun: 0, initiatorName: 'eui.odd', secretRef: { name: '' } },
    { targetPortal: 't', iqn: 'naa.odd', lun: 0, initiatorName: 'iqn.2015-02.example.com:test' },
  ],
  cinder: [{ volumeID: '', secretRef: {} }],
  fc: [{}, { targetWWNs: ['w'], wwids: ['i'] }, { targetWWNs: ['w'], lun: 256 }],
  flexVolume: [{ driver: '', options: { 'kubernetes.io/a': 'b' } }],
  azureFile: [{ secretName: '', shareName: '', secretNamespace: '' }],
  vsphereVolume: [{ volumePath: '' }],
  photonPersistentDisk: [{ pdID: '' }],
  portworxVolume: [{ volumeID: '' }],
  azureDisk: [
    { diskName: '', diskURI: '', cachingMode: 'Odd', kind: 'Odd' },
    { diskName: 'd', diskURI: 'https://x', kind: 'Managed' },
  ],
  scaleIO: [{ gateway: '', system: '', volumeName: '', secretRef }],
  local: [{ path: '' }, { path: '/a/..' }],
  storageos: [{ secretRef: {} }, { volumeName: 'V_', volumeNamespace: 'N_' }],
  csi: [
    { driver: '', volumeHandle: '' },
    {
      driver: `Odd_${'x'.repeat(70)}`,
      volumeHandle: 'h',
      controllerPublishSecretRef: {},
      controllerExpandSecretRef: { name: 'S_', namespace: 'N.n' },
      nodePublishSecretRef: { name: 's' },
      nodeExpandSecretRef: { namespace: 'n' },
      nodeStageSecretRef: {},
    },
  ],
};

const sources = Object.fromEntries([
  ...Object.entries(valid).map(([name, value]) => [`a ${name} volume is stored`, source({ [name]: value })]),
  ...Object.entries(broken).flatMap(([name, values]) =>
    values.map((value, i) => [`a ${name} volume is judged (${i + 1})`, source({ [name]: value })]),
  ),
]);

export const suite: CaseSuite = {
  bases: {
    volume: volume('volume', { hostPath: { path: '/data' } }),
    csi: volume('csi', { csi: { driver: 'd.example.com', volumeHandle: 'h' } }, { volumeAttributesClassName: 'fast' }),
    pinned: volume('pinned', { local: { path: '/disk' } }, { nodeAffinity: term('beta.kubernetes.io/os') }),
    nfs: {
      ...volume(
        'nfs',
        { nfs: { server: 's', path: '/p' } },
        {
          accessModes: ['ReadWriteMany', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce'],
          claimRef: { namespace: 'a', name: 'b' },
          storageClassName: 'slow',
        },
      ),
      status: { phase: 'Bound', reason: 'because' },
    },
    recycled: volume('recycled', { nfs: { server: 's', path: '/p' } }, { persistentVolumeReclaimPolicy: 'Recycle' }),
  },
  cases: {
    'a volume gets its defaults': create(),
    ...sources,
    'a volume has a source': source({}),
    'a volume has one source': source(valid),
    'a local volume needs a node': source({ local: { path: '/disk' } }),
    'a local volume has a node': source({ local: { path: '/disk' }, nodeAffinity: term('kubernetes.io/hostname') }),
    'access modes are required': create({ 'spec.accessModes': [] }),
    'access modes are known': create({ 'spec.accessModes': ['Odd', 'ReadWriteOncePod', 'ReadWriteOnce'] }),
    'capacity is required': create({ 'spec.capacity': undefined }),
    'capacity is storage': create({ 'spec.capacity': { storage: '1', cpu: '1' } }),
    'capacity is positive': create({ 'spec.capacity': { storage: '0' } }),
    'capacity is not negative': create({ 'spec.capacity': { storage: '-1500m' } }),
    'capacity is rounded up': create({ 'spec.capacity': { storage: '1.0001' } }),
    'a reclaim policy is known': create({ 'spec.persistentVolumeReclaimPolicy': 'Odd' }),
    'the root is not recycled': create({
      'spec.persistentVolumeReclaimPolicy': 'Recycle',
      'spec.hostPath.path': '//./x/../',
    }),
    'recycling is deprecated': create({ 'spec.persistentVolumeReclaimPolicy': 'Recycle' }),
    'a class has a name': create({ 'spec.storageClassName': 'Odd_' }),
    'a volume mode is known': create({ 'spec.volumeMode': 'Odd' }),
    'a class of attributes is for CSI': create({ 'spec.volumeAttributesClassName': 'Odd_' }),
    'a class of attributes is not empty': create({ 'spec.volumeAttributesClassName': '' }),
    'node affinity is required to be': create({ 'spec.nodeAffinity': {} }),
    'node affinity has terms': create({ 'spec.nodeAffinity': { required: {} } }),
    'node affinity is judged': create({ 'spec.nodeAffinity': term('bad key', ['-']) }),
    'labels of nodes are deprecated': create({ 'spec.nodeAffinity': term('beta.kubernetes.io/arch') }),
    'annotations are deprecated': {
      create: 'nfs',
      change: edit({ [mountOptions]: 'ro', [storageClass]: 'x' }),
    },
    'mount options are for some sources': create({ [mountOptions]: 'ro' }),
    'a name is a DNS subdomain': create({ 'metadata.name': 'Odd_' }),

    'a reclaim policy can be changed': update('volume', { 'spec.persistentVolumeReclaimPolicy': 'Delete' }),
    'a source stays': update('volume', { 'spec.hostPath.path': '/other' }),
    'a source cannot be replaced': update('volume', {
      'spec.hostPath': undefined,
      'spec.nfs': { server: 's', path: '/<p>' },
    }),
    'a volume mode stays': update('volume', { 'spec.volumeMode': 'Block' }),
    'errors of an update are said twice': update('volume', { 'spec.storageClassName': 'Odd_', [mountOptions]: 'ro' }),
    'a secret for expansion can be added': update('csi', { 'spec.csi.controllerExpandSecretRef': secretRef }),
    'another secret cannot be added': update('csi', { 'spec.csi.nodePublishSecretRef': secretRef }),
    'a class of attributes can be changed': update('csi', { 'spec.volumeAttributesClassName': 'slow' }),
    'a class of attributes cannot be removed': update('csi', { 'spec.volumeAttributesClassName': undefined }),
    'a label of nodes can leave beta': update('pinned', { 'spec.nodeAffinity': term('kubernetes.io/os') }),
    'node affinity stays': update('pinned', { 'spec.nodeAffinity': term('kubernetes.io/arch') }),
    'node affinity cannot be removed': update('pinned', { 'spec.nodeAffinity': undefined }),
    'node affinity can be added': update('volume', { 'spec.nodeAffinity': term('kubernetes.io/os') }),
    'status is not changed by the volume': update('nfs', { 'status.phase': 'Failed' }),
    'a status can be changed': {
      update: 'nfs',
      subresource: 'status',
      change: edit({
        'status.message': 'x',
        'status.lastPhaseTransitionTime': '2026-01-01T00:00:00Z',
        'spec.capacity': { storage: '9' },
      }),
    },
    'a status keeps a time that is told': {
      update: 'nfs',
      subresource: 'status',
      change: edit({ 'status.phase': 'Failed', 'status.lastPhaseTransitionTime': '2026-01-01T00:00:00Z' }),
    },
    'labels are judged': update('volume', { 'metadata.labels': { a: '-' } }),
    'a change of phase is a time': {
      update: 'nfs',
      subresource: 'status',
      change: edit({ 'status.phase': 'Failed', 'status.lastPhaseTransitionTime': undefined }),
    },
    'the same phase is no change': {
      update: 'nfs',
      subresource: 'status',
      change: edit({ 'status.lastPhaseTransitionTime': undefined }),
    },
    'a volume is printed': { table: 'nfs' },
    'a CSI volume is printed': { table: 'csi' },
  },
};
