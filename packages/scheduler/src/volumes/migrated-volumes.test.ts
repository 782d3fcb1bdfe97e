import type { NodeSelectorRequirement, PersistentVolume, PersistentVolumeSpec, Volume } from '@coxswain/api/core/v1';
import { describe, expect, it } from 'vitest';
import { translatedAffinity, translatedInlineVolume, translatedVolume } from './migrated-volumes.ts';

const volume = (spec: PersistentVolumeSpec, labels: Record<string, string> = {}): PersistentVolume => ({
  metadata: { name: 'v', labels },
  spec,
});
const zone = 'topology.kubernetes.io/zone';
const betaZone = 'failure-domain.beta.kubernetes.io/zone';
const betaRegion = 'failure-domain.beta.kubernetes.io/region';
const disk = { gcePersistentDisk: { pdName: 'd' } };
const ebs = (volumeID: string) => ({ awsElasticBlockStore: { volumeID } });

describe('the CSI volume of an in-tree volume', () => {
  it.each<[PersistentVolume, string | undefined]>([
    [volume(disk), 'pd.csi.storage.gke.io projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d'],
    [volume(disk, { [zone]: 'us-a1-b' }), 'pd.csi.storage.gke.io projects/UNSPECIFIED/zones/us-a1-b/disks/d'],
    [
      volume(disk, { [betaZone]: 'us-a1-b__us-a1-c' }),
      'pd.csi.storage.gke.io projects/UNSPECIFIED/regions/us-a1/disks/d',
    ],
    [volume(ebs('vol-1')), 'ebs.csi.aws.com vol-1'],
    [volume(ebs('aws://us-east-1a/vol-1')), 'ebs.csi.aws.com vol-1'],
    [volume(ebs('aws:///vol-1')), 'ebs.csi.aws.com vol-1'],
    [volume({ cinder: { volumeID: 'c' } }), 'cinder.csi.openstack.org c'],
    [volume({ azureDisk: { diskName: 'n', diskURI: '/u' } }), 'disk.csi.azure.com /u'],
    [volume({ portworxVolume: { volumeID: 'p' } }), 'pxd.portworx.com p'],
    [volume({ vsphereVolume: { volumePath: 'v' } }), undefined],
    [volume({ hostPath: { path: '/' } }), undefined],
  ])('%j is %s', (given, expected) => {
    const csi = translatedVolume(given);
    expect(csi && `${csi.driver} ${csi.volumeHandle}`).toBe(expected);
  });

  it.each<[PersistentVolume, string]>([
    [volume(ebs('aws://us-east-1a/disk')), 'Invalid format for AWS volume (aws://us-east-1a/disk)'],
    [
      volume({ azureDisk: { diskName: 'n', diskURI: '/u', kind: 'Shared' } }),
      'kind(Shared) is not supported in csi migration',
    ],
    [volume(disk, { [zone]: 'here__there' }), 'zone in unexpected format'],
    [volume(disk, { [zone]: 'us-a1-b__us-a2-b' }), 'multiple or no regions'],
  ])('%j cannot be translated', (given, message) => {
    expect(() => translatedVolume(given)).toThrow(message);
  });

  it('of an inline volume has no zone', () => {
    const inline: Volume = { name: 'v', ...disk };
    expect(translatedInlineVolume(inline)?.volumeHandle).toBe('projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d');
    expect(translatedInlineVolume({ name: 'v', csi: { driver: 'csi.example' } })).toBeUndefined();
  });
});

describe('the translated node affinity of a volume', () => {
  const within = (key: string, ...values: string[]): NodeSelectorRequirement => ({ key, operator: 'In', values });
  const affinity = (...matchExpressions: NodeSelectorRequirement[]) => ({
    nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } },
  });
  const driverZone = 'topology.gke.io/zone';

  it.each<[string, PersistentVolume, readonly NodeSelectorRequirement[] | undefined]>([
    ['the driver’s own zone label', volume({ ...disk, ...affinity(within(zone, 'z')) }), [within(driverZone, 'z')]],
    [
      'also the region label, when deprecated labels were used',
      volume({ ...disk, ...affinity(within(betaZone, 'z'), within(betaRegion, 'r')) }),
      [within(driverZone, 'z'), within('topology.kubernetes.io/region', 'r')],
    ],
    [
      'the volume’s zone label, when its node affinity has no zones',
      volume({ ...disk, ...affinity(within('disk', 'ssd')) }, { [betaZone]: 'z2__z1' }),
      [within('disk', 'ssd'), within(driverZone, 'z1', 'z2')],
    ],
    ['the volume’s zone label alone', volume(disk, { [zone]: 'z' }), [within(driverZone, 'z')]],
    ['no requirements', volume(disk), undefined],
    [
      'the volume’s own requirements, when the driver has no zone label',
      volume({ azureDisk: { diskName: 'n', diskURI: '/u' }, ...affinity(within(zone, 'z')) }),
      [within(zone, 'z')],
    ],
  ])('has %s', (_, given, expected) => {
    expect(translatedAffinity(given)?.nodeSelectorTerms.map(({ matchExpressions }) => matchExpressions)).toEqual(
      expected && [expected],
    );
  });
});
