import { fileErrorMessage } from './files/file-error-message.ts';
import type { VolumeSpec } from './plugins/volume-plugin.ts';

/** The event of a volume that could not be mounted. */
export const setUpFailed = ({ name }: VolumeSpec, error: unknown): string =>
  `MountVolume.SetUp failed for volume "${name}" : ${fileErrorMessage(error)}`;

/** The event of a pod some of whose volumes are not known yet: `failed` are the names of others that could not be mounted. */
export function unableToMount(
  unknown: readonly { readonly name: string; readonly message: string }[],
  failed: readonly string[],
): string {
  const names = unknown.map(({ name }) => name).sort();
  const unmounted = [...names, ...failed].sort();
  const why = unknown.map(({ message }) => message).join('; ');
  return `Unable to attach or mount volumes: unmounted volumes=[${unmounted.join(' ')}], unattached volumes=[], failed to process volumes=[${names.join(' ')}]: ${why}`;
}

/** Names the kind of a volume that there is no plug-in for. */
export function notSupported({ volume, persistentVolume }: VolumeSpec): string {
  const notKinds = new Set([
    'name',
    'capacity',
    'accessModes',
    'claimRef',
    'mountOptions',
    'nodeAffinity',
    'volumeMode',
  ]);
  const source = Object.entries(volume ?? persistentVolume?.spec ?? {}).find(
    ([key, value]) => !notKinds.has(key) && typeof value === 'object' && value !== null,
  );
  return `no volume plugin matched: volumes of type ${source?.[0] ?? 'unknown'} are not supported by this kubelet`;
}
