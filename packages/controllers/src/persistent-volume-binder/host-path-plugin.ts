import type { PersistentVolume } from '@coxswain/api/core/v1';
import type { VolumePlugin } from './volume-plugin.ts';

export interface HostPathPluginOptions {
  /** The provisioner name in StorageClasses. */
  readonly name?: string;
  /** The parent directory if the StorageClass has no parameter `path`. */
  readonly basePath?: string;
  /** Deletes a directory recursively on a node (undefined: on any). If absent, directories are not deleted. */
  readonly remove?: (path: string, nodeName: string | undefined) => Promise<void>;
}

const hostnameLabel = 'kubernetes.io/hostname';

/**
 * Provisions directories of a node. Sufficient for clusters with one node and for simulated nodes. The kubelet creates a
 * directory when the first pod that uses it starts.
 */
export function hostPathPlugin(options: HostPathPluginOptions = {}): VolumePlugin {
  const { name: plugin = 'coxswain.dev/host-path', basePath = '/var/lib/coxswain/volumes', remove } = options;
  return {
    name: plugin,
    provision: async ({ name, claim, storageClass, node }) => {
      const { resources, volumeMode } = claim.spec ?? {};
      const accessModes = claim.spec?.accessModes ?? [];
      if (volumeMode === 'Block') throw new Error(`${plugin} does not support block volume provisioning`);
      const { parameters, reclaimPolicy = 'Delete' } = storageClass;
      const base = (parameters?.path ?? basePath).replace(/\/+$/, '');
      const hostname = node?.metadata.labels?.[hostnameLabel] ?? node?.metadata.name;
      return {
        metadata: { name },
        spec: {
          persistentVolumeReclaimPolicy: reclaimPolicy,
          accessModes: accessModes.length > 0 ? accessModes : ['ReadWriteOnce'],
          capacity: { storage: resources?.requests?.storage ?? '0' },
          hostPath: { path: `${base}/${name}`, type: 'DirectoryOrCreate' },
          ...(hostname !== undefined && { nodeAffinity: onHost(hostname) }),
        },
      };
    },
    delete: async (volume) => {
      const { path } = volume.spec?.hostPath ?? {};
      if (path !== undefined) await remove?.(path, hostOf(volume));
    },
  };
}

const onHost = (hostname: string) =>
  ({
    required: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: hostnameLabel, operator: 'In', values: [hostname] }] }],
    },
  }) satisfies NonNullable<PersistentVolume['spec']>['nodeAffinity'];

function hostOf({ spec }: PersistentVolume): string | undefined {
  const terms = spec?.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  const requirements = terms.flatMap(({ matchExpressions }) => matchExpressions ?? []);
  return requirements.find(({ key }) => key === hostnameLabel)?.values?.[0];
}
