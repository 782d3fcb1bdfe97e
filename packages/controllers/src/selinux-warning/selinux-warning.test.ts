import type { Pod, PodSecurityContext } from '@coxswain/api/core/v1';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestCluster } from '../../test/test-cluster.ts';
import { seLinuxWarningController } from './index.ts';
import { mountedVolume } from './mounted-volume.ts';
import { labelsConflict } from './selinux-label.ts';
import { VolumeUsers } from './volume-users.ts';

it.each<[string, string, string, boolean]>([
  ['are equal', 'u:r:t:s0:c1', 'u:r:t:s0:c1', false],
  ['have different levels', 'u:r:t:s0:c1', 'u:r:t:s0:c2', true],
  ['lack the level on one side', ':::s0:c1', '', true],
  ['lack a part on one side', 'u:r:t:s0', ':r::s0', false],
  ['have different types', '::t:s0', '::other:s0', true],
  ['are empty', '', ':::', false],
])('labelsConflict for labels that %s', (_, one, other, isConflict) => {
  expect(labelsConflict(one, other)).toBe(isConflict);
  expect(labelsConflict(other, one)).toBe(isConflict);
});

it('mountedVolume returns a unique name for volumes that support labels', () => {
  expect(mountedVolume({ csi: { driver: 'd', volumeHandle: 'h' } })).toEqual({
    uniqueName: 'kubernetes.io/csi/d^h',
    csiDriver: 'd',
  });
  const iscsi = { targetPortal: '10.0.0.1', iqn: 'iqn.x', lun: 3 };
  expect(mountedVolume({ iscsi })).toEqual({ uniqueName: 'kubernetes.io/iscsi/10.0.0.1:iqn.x:3' });
  expect(mountedVolume({ fc: { targetWWNs: ['a', 'b'], lun: 0 } })).toEqual({ uniqueName: 'kubernetes.io/fc/[a b]:0' });
  expect(mountedVolume({ fc: { wwids: ['w'] } })).toEqual({ uniqueName: 'kubernetes.io/fc/[w]' });
  expect(mountedVolume({ fc: {} })).toBeUndefined();
});

it('messages do not name pods of other namespaces', () => {
  const users = new VolumeUsers();
  const volume = { uniqueName: 'v' };
  users.set(volume, 'one/a', { label: ':::s0:c1', changePolicy: 'MountOption' });
  const told = users.set(volume, 'two/b', { label: ':::s0:c2', changePolicy: 'MountOption' });
  const rest =
    'conflicts with another pod that uses the same volume as this pod with a different SELinuxLabel. ' +
    'If both pods land on the same node, only one of them may access the volume.';
  expect(told).toEqual([
    { podKey: 'two/b', reason: 'SELinuxLabelConflict', message: `SELinuxLabel":::s0:c2" ${rest}` },
    { podKey: 'one/a', reason: 'SELinuxLabelConflict', message: `SELinuxLabel":::s0:c1" ${rest}` },
  ]);
});

describe('pods that share a volume', () => {
  let cluster: TestCluster;
  const core = () => cluster.clients.core.v1;

  beforeEach(async () => {
    cluster = await TestCluster.start({ controllers: [seLinuxWarningController] });
    await cluster.clients.storage.v1
      .csiDrivers()
      .create({ metadata: { name: 'csi.example.com' }, spec: { seLinuxMount: true } });
    await core()
      .persistentVolumeClaims('default')
      .create({
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteMany'], resources: { requests: { storage: '1Gi' } }, volumeName: 'pv' },
      });
  }, 60_000);
  afterEach(() => cluster.stop());

  async function bind(): Promise<void> {
    const claim = await core().persistentVolumeClaims('default').get('data');
    await core()
      .persistentVolumes()
      .create({
        metadata: { name: 'pv' },
        spec: {
          accessModes: ['ReadWriteMany'],
          capacity: { storage: '1Gi' },
          csi: { driver: 'csi.example.com', volumeHandle: 'h' },
          claimRef: { namespace: 'default', name: 'data', uid: claim.metadata.uid! },
        },
      });
    await core()
      .persistentVolumeClaims('default')
      .patchStatus('data', 'merge', { status: { phase: 'Bound' } });
    await cluster.settle();
  }

  async function createPod(
    name: string,
    securityContext: PodSecurityContext,
    containers: NonNullable<Pod['spec']>['containers'] = [{ name: 'c', image: 'i' }],
  ): Promise<void> {
    await core()
      .pods('default')
      .create({
        metadata: { name },
        spec: {
          securityContext,
          containers: containers.map((each) => ({ ...each, volumeMounts: [{ name: 'v', mountPath: '/v' }] })),
          volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }],
        },
      });
    await cluster.settle();
  }
  const level = (text: string): PodSecurityContext => ({ seLinuxOptions: { level: text } });
  const conflict = (pod: string, property: string, value: string, other: string, otherValue: string): string =>
    `Normal ${property}Conflict Pod/${pod}: ${property} "${value}" conflicts with pod ${other} that uses the same volume ` +
    `as this pod with ${property} "${otherValue}". If both pods land on the same node, only one of them may access the volume.`;
  const labels = ([a, one]: string[], [b, other]: string[]): string[] => [
    conflict(b!, 'SELinuxLabel', other!, a!, one!),
    conflict(a!, 'SELinuxLabel', one!, b!, other!),
  ];
  const sorted = async (): Promise<string[]> => (await cluster.events()).sort();

  it('with different labels both get an event, once', async () => {
    await bind();
    await createPod('a', level('s0:c1,c2'));
    await createPod('same', level('s0:c1,c2'));
    expect(await cluster.events()).toEqual([]);
    await createPod('b', level('s0:c3,c4'));
    const told = [
      ...labels(['a', ':::s0:c1,c2'], ['b', ':::s0:c3,c4']),
      ...labels(['same', ':::s0:c1,c2'], ['b', ':::s0:c3,c4']),
    ].sort();
    expect(await sorted()).toEqual(told);
    await core()
      .pods('default')
      .patchStatus('b', 'merge', { status: { phase: 'Running' } });
    await cluster.settle();
    expect(await sorted()).toEqual(told);
  });

  it('with different policies get events about the policy and the label', async () => {
    await bind();
    await createPod('a', level('s0:c1'));
    await createPod('c', { ...level('s0:c1'), seLinuxChangePolicy: 'Recursive' });
    expect(await sorted()).toEqual(
      [
        conflict('c', 'SELinuxChangePolicy', 'Recursive', 'a', 'MountOption'),
        conflict('a', 'SELinuxChangePolicy', 'MountOption', 'c', 'Recursive'),
        ...labels(['a', ':::s0:c1'], ['c', '']),
      ].sort(),
    );
  });

  it('get events when their claim is bound', async () => {
    await createPod('a', level('s0:c1'));
    await createPod('b', level('s0:c2'));
    expect(await cluster.events()).toEqual([]);
    await bind();
    expect(await sorted()).toEqual(labels(['a', ':::s0:c1'], ['b', ':::s0:c2']).sort());
  });

  it('have no conflict while the driver does not mount with labels', async () => {
    const drivers = cluster.clients.storage.v1.csiDrivers();
    await drivers.patch('csi.example.com', 'merge', { spec: { seLinuxMount: false } });
    await bind();
    await createPod('a', level('s0:c1'));
    await createPod('b', level('s0:c2'));
    expect(await cluster.events()).toEqual([]);
    await drivers.patch('csi.example.com', 'merge', { spec: { seLinuxMount: true } });
    await cluster.settle();
    expect(await sorted()).toEqual(expect.arrayContaining(labels(['a', ':::s0:c1'], ['b', ':::s0:c2'])));
  });

  it('have no conflict with terminated or deleted pods', async () => {
    await bind();
    await createPod('ended', level('s0:c1'));
    await createPod('gone', level('s0:c1'));
    await core()
      .pods('default')
      .patchStatus('ended', 'merge', { status: { phase: 'Succeeded' } });
    await core().pods('default').delete('gone', { gracePeriodSeconds: 0 });
    await cluster.settle();
    await createPod('b', level('s0:c2'));
    expect(await cluster.events()).toEqual([]);
  });

  it('with different labels in one pod get a warning', async () => {
    await bind();
    await createPod('twice', {}, [
      { name: 'c', image: 'i', securityContext: { seLinuxOptions: { level: 's0:c1' } } },
      { name: 'd', image: 'i', securityContext: { seLinuxOptions: { level: 's0:c2' } } },
    ]);
    expect(await cluster.events()).toEqual([
      'Warning MultipleSELinuxLabels Pod/twice: Volume "v" is mounted twice with different SELinux labels inside this pod',
    ]);
  });
});
