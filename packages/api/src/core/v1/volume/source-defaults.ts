import type { Volume } from '../../../generated/core/v1.ts';

export type SourceDefaults = { readonly [T in keyof Volume]?: (source: NonNullable<Volume[T]>) => void };

/** Of sources that pods and persistent volumes have, by the same names. */
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
 * A function that sets the defaults of every source in a volume, or in the spec of a persistent volume: of the common
 * sources and of those given. The function returns whether the volume has any member but a name.
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

/** The defaults of what a persistent volume stands for. */
export const setPersistentVolumeSourceDefaults: (spec: object) => boolean = sourceDefaulter();
