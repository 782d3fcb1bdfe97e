import { Path } from '@coxswain/apimachinery';
import { describe, expect, it } from 'vitest';
import { FeatureGates } from '../../../features/feature-gates.ts';
import type { PersistentVolume } from '../../../generated/core/v1.ts';
import { validatePersistentVolumeSpec, validatePersistentVolumeUpdate } from './validation.ts';

describe('an inline volume of an attachment', () => {
  const csi = { driver: 'd.example.com', volumeHandle: 'h' };
  const judge = (spec: PersistentVolume['spec']) =>
    validatePersistentVolumeSpec(spec!, '', Path.of('spec'), { inline: true }).map(String);

  it('must be a CSI volume', () => {
    expect(judge({ csi, accessModes: ['ReadWriteOnce'] })).toEqual([]);
  });

  it('must not have fields that concern claims', () => {
    const errors = judge({
      hostPath: { path: '/' },
      accessModes: ['ReadWriteOnce'],
      claimRef: {},
      capacity: { storage: '1' },
      persistentVolumeReclaimPolicy: 'Delete',
      nodeAffinity: {},
      storageClassName: 'fast',
      volumeMode: 'Block',
    });
    expect(errors).toEqual([
      'spec.claimRef: Forbidden: may not be specified in the context of inline volumes',
      'spec.capacity: Forbidden: may not be specified in the context of inline volumes',
      'spec.csi: Required value: has to be specified in the context of inline volumes',
      'spec.persistentVolumeReclaimPolicy: Forbidden: may only be Retain in the context of inline volumes',
      'spec.nodeAffinity: Forbidden: may not be specified in the context of inline volumes',
      'spec.storageClassName: Forbidden: may not be specified in the context of inline volumes',
      'spec.volumeMode: Forbidden: may not specify volumeMode other than Filesystem in the context of inline volumes',
    ]);
  });
});

describe('the node affinity of a volume', () => {
  const volume = (value: string): PersistentVolume => ({
    metadata: { name: 'v' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1' },
      nfs: { server: 's', path: '/' },
      nodeAffinity: {
        required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'In', values: [value] }] }] },
      },
    },
  });
  const update = (after: string, before: string, isMutable: boolean) => {
    const features = new FeatureGates({ MutablePVNodeAffinity: isMutable });
    const context = { features, now: () => new Date(0) };
    return validatePersistentVolumeUpdate(volume(after), volume(before), context).map(({ field }) => field);
  };

  it.each([
    ['is immutable', 'b', 'a', false, ['nodeAffinity']],
    ['may change while that feature is on', 'b', 'a', true, []],
    [
      'must have valid label values',
      '-',
      'a',
      true,
      Array(2).fill('spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].values[0]'),
    ],
    ['may keep invalid label values', '-', '-', false, []],
  ])('%s', (_, after, before, isMutable, fields) => {
    expect(update(after, before, isMutable)).toEqual(fields);
  });
});
