import type { Base, Case, CaseSuite } from '../case.ts';
import { edit } from '../edit.ts';

const object = (kind: string, name: string, content: object, metadata: object = {}, version = 'v1'): Base => ({
  object: { apiVersion: `storage.k8s.io/${version}`, kind, metadata: { name, ...metadata }, ...content },
});
const create =
  (base: string) =>
  (changes: Record<string, unknown>): Case => ({ create: base, change: edit(changes) });
const storageClass = create('class');
const attributes = create('attributes');
const capacity = create('capacity');
const update = (base: string, changes: Record<string, unknown>): Case => ({ update: base, change: edit(changes) });
const topology = (...matchLabelExpressions: object[]) => ({ matchLabelExpressions });
const zone = { key: 'topology.kubernetes.io/zone', values: ['a', 'b'] };
const numbered = (count: number, value = '') =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, value]));
const badParameters = {
  'too many parameters are refused': numbered(513),
  'parameters that are too big are refused': numbered(4, 'x'.repeat(65536)),
  'a parameter without a key is refused': { '': 'x' },
};

export const suite: CaseSuite = {
  bases: {
    class: object('StorageClass', 'cases-class', { provisioner: 'example.com/disk' }),
    defaultClass: object(
      'StorageClass',
      'cases-default',
      {
        provisioner: 'example.com/disk',
        parameters: { type: 'fast' },
        reclaimPolicy: 'Retain',
        volumeBindingMode: 'WaitForFirstConsumer',
        allowVolumeExpansion: true,
      },
      { annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    ),
    betaDefault: object(
      'StorageClass',
      'cases-beta-default',
      { provisioner: 'a' },
      { annotations: { 'storageclass.beta.kubernetes.io/is-default-class': 'true' } },
    ),
    attributes: object('VolumeAttributesClass', 'cases-attributes', {
      driverName: 'disk.example.com',
      parameters: { iops: '1000' },
    }),
    betaAttributes: object(
      'VolumeAttributesClass',
      'cases-beta-attributes',
      { driverName: 'disk.example.com', parameters: { iops: '1000' } },
      {},
      'v1beta1',
    ),
    capacity: object('CSIStorageCapacity', 'capacity', {
      storageClassName: 'fast',
      capacity: '1536Mi',
      maximumVolumeSize: '1Gi',
      nodeTopology: { matchLabels: { zone: 'a' } },
    }),
    noCapacity: object('CSIStorageCapacity', 'no-capacity', { storageClassName: 'fast' }),
  },
  cases: {
    'reclaim policy and binding mode of a class have defaults': storageClass({}),
    'settings of a class are kept': storageClass({
      parameters: { a: 'b' },
      reclaimPolicy: 'Retain',
      mountOptions: ['ro'],
      allowVolumeExpansion: false,
      volumeBindingMode: 'WaitForFirstConsumer',
      allowedTopologies: [topology(zone), topology({ ...zone, values: ['a'] })],
    }),
    'a class without a provisioner is refused': storageClass({ provisioner: undefined }),
    'a bad provisioner is refused': storageClass({ provisioner: 'Example.com/a b/c' }),
    'a provisioner may have capital letters': storageClass({ provisioner: 'Example.com/Disk' }),
    'a bad policy and a bad mode are refused': storageClass({ reclaimPolicy: 'Recycle', volumeBindingMode: 'Lazy' }),
    'an empty mode is refused, an empty policy is not': storageClass({ reclaimPolicy: '', volumeBindingMode: '' }),
    ...Object.fromEntries(
      Object.entries(badParameters).map(([sentence, parameters]) => [sentence, storageClass({ parameters })]),
    ),
    'bad topologies are refused': storageClass({
      allowedTopologies: [
        topology(zone, { ...zone, values: [] }),
        topology({ key: 'a b', values: ['x', 'x'] }),
        topology({ key: '', values: ['x'] }),
      ],
    }),
    'topologies must differ': storageClass({
      allowedTopologies: [topology(zone), topology({ ...zone, values: ['b', 'a'] }), topology(zone)],
    }),
    'empty topologies are duplicates of many': storageClass({ allowedTopologies: [{}, topology()] }),
    'topologies by old labels cause warnings': storageClass({
      allowedTopologies: [topology({ key: 'beta.kubernetes.io/os', values: ['linux'] }, zone)],
    }),
    'expansion of a class can change': update('class', {
      allowVolumeExpansion: true,
      allowedTopologies: [topology({ key: 'beta.kubernetes.io/arch', values: ['x'] })],
    }),
    'most of a class cannot change': update('defaultClass', {
      provisioner: 'other',
      parameters: { type: 'slow' },
      reclaimPolicy: 'Delete',
      volumeBindingMode: 'Immediate',
      'metadata.labels': { 'a b': '' },
    }),
    'what a class has cannot be taken away': update('defaultClass', {
      parameters: undefined,
      reclaimPolicy: undefined,
    }),
    'a class is shown': { table: 'class' },
    'the default class is shown as such': { table: 'defaultClass' },
    'the default class by the old annotation is shown as such': { table: 'betaDefault' },

    'a class of attributes is taken': attributes({}),
    'a class of attributes without any is refused': attributes({ parameters: {} }),
    'a class of attributes without a driver is refused': attributes({ driverName: '', parameters: { '': '' } }),
    'a bad driver is refused': attributes({ driverName: 'A b' }),
    'too many attributes are refused': attributes({ parameters: numbered(513) }),
    'neither driver nor attributes can change': update('attributes', {
      driverName: 'other',
      parameters: {},
      'metadata.labels': { 'a b': '' },
    }),
    'the beta version refuses changes too': update('betaAttributes', { parameters: { iops: '1' } }),
    'labels of the beta version can change': update('betaAttributes', { 'metadata.labels': { a: 'b' } }),
    'a class of attributes is shown': { table: 'attributes' },

    'a capacity needs a class only': capacity({
      capacity: undefined,
      maximumVolumeSize: undefined,
      nodeTopology: undefined,
    }),
    'a capacity is kept': capacity({ nodeTopology: { matchExpressions: [{ key: 'a', operator: 'Exists' }] } }),
    'a bad capacity is refused': capacity({
      storageClassName: '',
      capacity: '-1',
      maximumVolumeSize: '-1',
      nodeTopology: { matchLabels: { a: 'b c' }, matchExpressions: [{ key: 'a', operator: 'In', values: ['b c'] }] },
    }),
    'topology by old labels causes warnings': capacity({
      nodeTopology: {
        matchLabels: { 'beta.kubernetes.io/os': 'linux' },
        matchExpressions: [{ key: 'beta.kubernetes.io/arch', operator: 'Exists' }],
      },
    }),
    'a capacity can change': update('capacity', { capacity: '2Gi' }),
    'what a capacity is about cannot change': update('capacity', {
      storageClassName: 'slow',
      nodeTopology: { matchLabels: { 'beta.kubernetes.io/os': 'linux' } },
      'metadata.labels': { 'a b': '' },
    }),
    'what a capacity is about cannot be taken away': update('capacity', { nodeTopology: undefined }),
    'a capacity is shown': { table: 'capacity' },
    'no capacity is shown': { table: 'noCapacity' },
  },
};
