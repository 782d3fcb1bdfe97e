import type { Base, Case, CaseSuite } from '../case.ts';
import { edit } from '../edit.ts';

const claim = (name: string, more: object = {}, status?: Record<string, unknown>, metadata: object = {}): Base => ({
  object: {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, ...metadata },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...more },
  },
  ...(status && { status }),
});
const create = (changes: Record<string, unknown> = {}): Case => ({ create: 'claim', change: edit(changes) });
const update = (base: string, changes: Record<string, unknown>): Case => ({ update: base, change: edit(changes) });
const status = (changes: Record<string, unknown>): Case =>
  ({ ...update('bound', changes), subresource: 'status' }) as Case;
const annotation = 'volume.beta.kubernetes.io/storage-class';
const storageClass = `metadata.annotations[${annotation}]`;
const request = (storage: string) => ({ 'spec.resources.requests.storage': storage });

export const suite: CaseSuite = {
  bases: {
    claim: claim('claim'),
    bound: claim(
      'bound',
      {
        volumeName: 'v',
        storageClassName: 'fast',
        volumeAttributesClassName: 'gold',
        resources: { requests: { storage: '10Gi' } },
        selector: { matchLabels: { z: '1', a: '2' } },
      },
      {
        phase: 'Bound',
        accessModes: ['ReadWriteOnce', 'ReadWriteMany'],
        capacity: { storage: '5Gi' },
        currentVolumeAttributesClassName: 'gold',
      },
    ),
    annotated: claim('annotated', {}, undefined, { annotations: { [annotation]: 'slow' } }),
    copied: claim('copied', { dataSourceRef: { apiGroup: 'example.com', kind: 'Copy', name: 'c' } }),
  },
  cases: {
    'a claim gets its defaults': create(),
    'access modes are required': create({ 'spec.accessModes': undefined }),
    'access modes are known': create({ 'spec.accessModes': ['Odd', 'ReadWriteOncePod', 'ReadOnlyMany'] }),
    'storage is required': create({ 'spec.resources': {} }),
    'storage is positive': create(request('0')),
    'storage is not negative': create(request('-1')),
    'storage is rounded up and should be whole': create({
      ...request('1.0001'),
      'spec.resources.limits': { storage: '2500m' },
    }),
    'a selector is judged': create({
      'spec.selector': { matchLabels: { 'bad key': '-' }, matchExpressions: [{ key: 'a', operator: 'Odd' }] },
    }),
    'classes have names': create({ 'spec.storageClassName': 'Odd_', 'spec.volumeAttributesClassName': 'Odd_' }),
    'classes may be empty': create({ 'spec.storageClassName': '', 'spec.volumeAttributesClassName': '' }),
    'a volume mode is known': create({ 'spec.volumeMode': 'Odd' }),
    'the annotation of a class is deprecated': create({ [storageClass]: 'x' }),
    'a name is a DNS subdomain': create({ 'metadata.name': 'Odd_' }),
    'the status of a new claim is cleared': create({ status: { phase: 'Bound' } }),
    'a claim can be copied': create({ 'spec.dataSource': { kind: 'PersistentVolumeClaim', name: 'other' } }),
    'a snapshot can be restored': create({
      'spec.dataSource': { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 's' },
    }),
    'other sources are ignored': create({ 'spec.dataSource': { apiGroup: 'example.com', kind: 'Copy', name: 's' } }),
    'other sources are taken by reference': create({
      'spec.dataSourceRef': { apiGroup: 'example.com', kind: 'Copy', name: 's' },
    }),
    'a source of another namespace is ignored': create({
      'spec.dataSourceRef': { apiGroup: 'example.com', kind: 'Copy', name: 's', namespace: 'n' },
    }),
    'both sources must match': create({
      'spec.dataSource': { kind: 'PersistentVolumeClaim', name: 'a' },
      'spec.dataSourceRef': { kind: 'PersistentVolumeClaim', name: 'b' },
    }),
    'a source is judged': create({ 'spec.dataSource': { kind: 'PersistentVolumeClaim', name: '' } }),
    'a reference is judged': create({ 'spec.dataSourceRef': { apiGroup: 'Odd_', kind: '', name: '' } }),
    'a reference to the core group is a claim': create({ 'spec.dataSourceRef': { kind: 'Pod', name: 'x' } }),

    'labels can be changed': update('claim', { 'metadata.labels': { a: 'b' } }),
    'a volume can be named once': update('claim', { 'spec.volumeName': 'v' }),
    'a volume stays': update('bound', { 'spec.volumeName': 'w' }),
    'a claim that is not bound cannot grow': update('claim', request('2Gi')),
    'the same size may be written in another way': update('claim', request('1073741824')),
    'a bound claim can grow': update('bound', request('20Gi')),
    'a bound claim can shrink to more than it has': update('bound', request('6Gi')),
    'a bound claim cannot shrink below what it has': update('bound', request('5Gi')),
    'limits stay': update('bound', { 'spec.resources.limits': { storage: '99Gi' } }),
    'much cannot be changed': update('bound', {
      'spec.accessModes': ['ReadWriteMany'],
      'spec.selector': undefined,
      'spec.volumeMode': 'Block',
      'spec.storageClassName': 'slow',
    }),
    'a class of attributes of a bound claim can be changed': update('bound', {
      'spec.volumeAttributesClassName': 'tin',
    }),
    'a class of attributes cannot be removed': update('bound', { 'spec.volumeAttributesClassName': undefined }),
    'a class of attributes cannot be emptied': update('bound', { 'spec.volumeAttributesClassName': '' }),
    'a class of attributes of an unbound claim stays': update('claim', { 'spec.volumeAttributesClassName': 'tin' }),
    'a class can be added': update('claim', { 'spec.storageClassName': 'fast' }),
    'a class cannot be removed': update('bound', { 'spec.storageClassName': undefined }),
    'a class can move to its field': update('annotated', {
      'spec.storageClassName': 'slow',
      [storageClass]: undefined,
    }),
    'a class in an annotation stays': update('annotated', { [storageClass]: 'fast' }),
    'a class in an annotation cannot become another': update('annotated', { 'spec.storageClassName': 'fast' }),
    'a class in an annotation cannot be added': update('claim', { [storageClass]: 'fast' }),
    'a source need not be sent twice': update('copied', { 'spec.dataSourceRef': undefined }),
    'a reference need not be sent twice': update('copied', { 'spec.dataSource': undefined }),
    'a source cannot be removed': update('copied', { 'spec.dataSource': undefined, 'spec.dataSourceRef': undefined }),
    'status is not changed by the claim': update('bound', { 'status.phase': 'Lost' }),
    'a status can be changed': status({ 'status.capacity.storage': '10Gi', 'spec.volumeName': 'w' }),
    'capacity is not negative': status({ 'status.capacity.storage': '-1' }),
    'an allocated resource has a name': status({ 'status.allocatedResources': { 'a b': '1' } }),
    'an allocated resource is no other': status({ 'status.allocatedResources': { cpu: '1' } }),
    'an allocated resource is not negative': status({ 'status.allocatedResources': { storage: '-1' } }),
    'an allocated resource may be of a driver': status({ 'status.allocatedResources': { 'example.com/x': '1500m' } }),
    'a resource has a status that is known': status({ 'status.allocatedResourceStatuses': { storage: 'Odd' } }),
    'a resource that has a status is no other': status({
      'status.allocatedResourceStatuses': { cpu: 'NodeResizePending' },
    }),
    'a resource of a driver has a status': status({
      'status.allocatedResourceStatuses': { 'example.com/x': 'NodeResizePending' },
    }),
    'labels are judged': update('claim', { 'metadata.labels': { a: '-' } }),
    'a claim is printed': { table: 'claim' },
    'a bound claim is printed': { table: 'bound' },
    'a claim with an annotation is printed': { table: 'annotated' },
  },
};
