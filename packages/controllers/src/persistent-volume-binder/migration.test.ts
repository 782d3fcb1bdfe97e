import type { PersistentVolume } from '@coxswain/api/core/v1';
import { describe, expect, it } from 'vitest';
import { migratedClaim, migratedVolume } from './migration.ts';

const provisionedBy = 'pv.kubernetes.io/provisioned-by';
const migratedTo = 'pv.kubernetes.io/migrated-to';
const finalizer = 'kubernetes.io/pv-controller';

describe('migratedClaim', () => {
  it.each<[before: Record<string, string>, after: Record<string, string>]>([
    [{}, {}],
    [{ 'volume.kubernetes.io/storage-provisioner': 'x' }, { 'volume.kubernetes.io/storage-provisioner': 'x' }],
    [
      { 'volume.beta.kubernetes.io/storage-provisioner': 'kubernetes.io/aws-ebs' },
      { 'volume.beta.kubernetes.io/storage-provisioner': 'kubernetes.io/aws-ebs', [migratedTo]: 'ebs.csi.aws.com' },
    ],
    [
      { 'volume.kubernetes.io/storage-provisioner': 'x', [migratedTo]: 'ebs.csi.aws.com' },
      { 'volume.kubernetes.io/storage-provisioner': 'x' },
    ],
  ])('changes annotations %j to %j', (annotations, after) => {
    expect(migratedClaim({ metadata: { annotations } }).metadata.annotations).toEqual(after);
  });
});

describe('migratedVolume', () => {
  const volume = (
    annotations: Record<string, string>,
    finalizers: string[],
    policy: 'Delete' | 'Retain',
  ): PersistentVolume => ({
    metadata: { annotations, finalizers },
    spec: { persistentVolumeReclaimPolicy: policy },
  });
  it.each<[by: string, finalizers: string[], policy: 'Delete' | 'Retain', after: string[]]>([
    ['kubernetes.io/host-path', [], 'Delete', [finalizer]],
    ['kubernetes.io/host-path', [finalizer], 'Retain', []],
    ['kubernetes.io/host-path', ['external-provisioner.volume.kubernetes.io/finalizer'], 'Retain', []],
    ['kubernetes.io/aws-ebs', [finalizer], 'Delete', []],
    ['csi.example.com', ['x'], 'Delete', ['x']],
  ])('for provisioner %s, finalizers %j and policy %s sets finalizers %j', (by, finalizers, policy, after) => {
    expect(migratedVolume(volume({ [provisionedBy]: by }, finalizers, policy)).metadata.finalizers).toEqual(after);
  });

  it('returns the same object when nothing changes', () => {
    const plain = volume({}, [], 'Delete');
    expect(migratedVolume(plain)).toBe(plain);
    const done = volume({ [provisionedBy]: 'kubernetes.io/aws-ebs', [migratedTo]: 'ebs.csi.aws.com' }, [], 'Delete');
    expect(migratedVolume(done)).toBe(done);
  });
});
