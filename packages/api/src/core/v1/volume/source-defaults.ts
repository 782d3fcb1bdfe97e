import type { Volume } from '../../../generated/core/v1.ts';

export type SourceDefaults = { readonly [T in keyof Volume]?: (source: NonNullable<Volume[T]>) => void };

/** Defaults of the sources that pods and PersistentVolumes have in common. */
const commonDefaults: SourceDefaults = {
  hostPath: (source) => {
    source.type ??= '';
  },
  iscsi: (source) => {
    source.iscsiInterface ||= 'default';
  },
  rbd: (source) => {
    source.pool ||= 'rbd';
    source.user ||= 'admin';
    source.keyring ||= '/etc/ceph/keyring';
  },
  azureDisk: (source) => {
    source.cachingMode ??= 'ReadWrite';
    source.fsType ??= 'ext4';
    source.readOnly ??= false;
    source.kind ??= 'Shared';
  },
  scaleIO: (source) => {
    source.storageMode ||= 'ThinProvisioned';
    source.fsType ||= 'xfs';
  },
};

/**
 * Returns a function that sets the defaults of every source in a volume or the spec of a PersistentVolume: of the
 * common sources and of those in `more`. The function returns whether the volume has any field but a name.
 */
export function sourceDefaulter(more: SourceDefaults = {}): (volume: object) => boolean {
  const defaultsOf: ReadonlyMap<string, (source: never) => void> = new Map(
    Object.entries({ ...commonDefaults, ...more }),
  );
  return (volume) => {
    let hasSource = false;
    for (const type of Object.keys(volume)) {
      const source = (volume as Readonly<Record<string, unknown>>)[type];
      if (type === 'name' || source === undefined) continue;
      hasSource = true;
      const setDefaults = defaultsOf.get(type) as ((source: unknown) => void) | undefined;
      setDefaults?.(source);
    }
    return hasSource;
  };
}

/** Sets the defaults of a PersistentVolume's source. */
export const setPersistentVolumeSourceDefaults: (spec: object) => boolean = sourceDefaulter();
