import type { PersistentVolume, PersistentVolumeSpec, Volume } from '@coxswain/api/core/v1';

/** A former in-tree volume plugin, and the CSI driver that replaces it. */
export interface MigratedPlugin {
  readonly name: string;
  readonly driver: string;
}

/** Keyed by the field of the volume source. */
const plugins = {
  gcePersistentDisk: { name: 'kubernetes.io/gce-pd', driver: 'pd.csi.storage.gke.io' },
  awsElasticBlockStore: { name: 'kubernetes.io/aws-ebs', driver: 'ebs.csi.aws.com' },
  cinder: { name: 'kubernetes.io/cinder', driver: 'cinder.csi.openstack.org' },
  azureDisk: { name: 'kubernetes.io/azure-disk', driver: 'disk.csi.azure.com' },
  azureFile: { name: 'kubernetes.io/azure-file', driver: 'file.csi.azure.com' },
  vsphereVolume: { name: 'kubernetes.io/vsphere-volume', driver: 'csi.vsphere.vmware.com' },
  portworxVolume: { name: 'kubernetes.io/portworx-volume', driver: 'pxd.portworx.com' },
} as const satisfies Readonly<Partial<Record<keyof PersistentVolumeSpec & keyof Volume, MigratedPlugin>>>;

const drivers: ReadonlyMap<string, string> = new Map(Object.values(plugins).map(({ name, driver }) => [name, driver]));

/** Returns the in-tree plugin of the volume; undefined when it has none of these sources. */
export function migratedPlugin({ spec }: PersistentVolume): MigratedPlugin | undefined {
  if (!spec) return undefined;
  return Object.entries(plugins).find(([field]) => Object.hasOwn(spec, field))?.[1];
}

/** Returns the CSI driver that replaces the in-tree plugin (`kubernetes.io/aws-ebs`); undefined for other plugins. */
export const driverOfPlugin = (name: string): string | undefined => drivers.get(name);
