import type { DownwardAPIVolumeFile, ObjectFieldSelector, Volume } from '../../../../generated/core/v1.ts';
import { setPersistentVolumeClaimSpecDefaults } from '../../persistent-volume-claim/index.ts';
import { isLatestImage } from '../container/image-name.ts';

const fileMode = 0o644;

export function setObjectFieldSelectorDefaults(selector: ObjectFieldSelector | undefined): void {
  if (selector) selector.apiVersion ||= 'v1';
}

const setFileDefaults = (files: readonly DownwardAPIVolumeFile[] | undefined): void => {
  for (const { fieldRef } of files ?? []) setObjectFieldSelectorDefaults(fieldRef);
};

/** Of the image that a container runs or a volume shows. */
export const defaultPullPolicy = (image: string | undefined): 'Always' | 'IfNotPresent' =>
  isLatestImage(image ?? '') ? 'Always' : 'IfNotPresent';

type Defaults = { readonly [T in keyof Volume]?: (source: NonNullable<Volume[T]>) => void };

const sourceDefaults: Defaults = {
  hostPath: (source) => {
    source.type ??= '';
  },
  secret: (source) => {
    source.defaultMode ??= fileMode;
  },
  configMap: (source) => {
    source.defaultMode ??= fileMode;
  },
  iscsi: (source) => {
    source.iscsiInterface ||= 'default';
  },
  rbd: (source) => {
    source.pool ||= 'rbd';
    source.user ||= 'admin';
    source.keyring ||= '/etc/ceph/keyring';
  },
  downwardAPI: (source) => {
    source.defaultMode ??= fileMode;
    setFileDefaults(source.items);
  },
  azureDisk: (source) => {
    source.cachingMode ??= 'ReadWrite';
    source.fsType ??= 'ext4';
    source.readOnly ??= false;
    source.kind ??= 'Shared';
  },
  projected: (source) => {
    source.defaultMode ??= fileMode;
    for (const { downwardAPI, serviceAccountToken } of source.sources ?? []) {
      setFileDefaults(downwardAPI?.items);
      if (serviceAccountToken) serviceAccountToken.expirationSeconds ??= 3600;
    }
  },
  scaleIO: (source) => {
    source.storageMode ||= 'ThinProvisioned';
    source.fsType ||= 'xfs';
  },
  ephemeral: ({ volumeClaimTemplate: template }) => {
    if (template) setPersistentVolumeClaimSpecDefaults(template.spec);
  },
  image: (source) => {
    source.pullPolicy ||= defaultPullPolicy(source.reference);
  },
};

const defaultsOf: ReadonlyMap<string, (source: never) => void> = new Map(Object.entries(sourceDefaults));

/**
 * The defaults of every source in it; also for the spec of a persistent volume, whose sources have the same names.
 * Gives whether there is anything but a name in it.
 */
export function setVolumeSourceDefaults(volume: object): boolean {
  let hasSource = false;
  for (const type of Object.keys(volume)) {
    const source = (volume as Readonly<Record<string, unknown>>)[type];
    if (type === 'name' || source === undefined) continue;
    hasSource = true;
    const setDefaults = defaultsOf.get(type) as ((source: unknown) => void) | undefined;
    setDefaults?.(source);
  }
  return hasSource;
}

/** A volume that says nothing of itself is an empty directory. */
export function setVolumeDefaults(volume: Volume): void {
  if (!setVolumeSourceDefaults(volume)) volume.emptyDir = {};
}
