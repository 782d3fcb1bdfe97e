import { podLimits } from '@coxswain/api';
import type { Container, Pod } from '@coxswain/api/core/v1';
import { quote } from '@coxswain/apimachinery';
import { Quantity } from '@coxswain/apimachinery/quantity';
import type { FsStats, PodStats } from '../stats/summary.ts';

/** Why a pod is evicted: it uses more local storage than it may. */
export interface StorageExcess {
  /** The label of the metric `kubelet_evictions`. */
  readonly signal: 'emptydirfs.limit' | 'ephemeralpodfs.limit' | 'ephemeralcontainerfs.limit';
  readonly message: string;
}

const storage = 'ephemeral-storage';

/** Returns whether the pod has a limit that `storageExcess` checks. */
export function hasStorageLimit({ spec }: Pod): boolean {
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  return (
    (spec?.volumes ?? []).some(({ emptyDir }) => emptyDir?.sizeLimit !== undefined) ||
    containers.some((container) => storageLimitOf(container) !== undefined)
  );
}

/**
 * Returns the first limit that the pod exceeds: of one of its `emptyDir` volumes, of all its containers together, or of one container.
 * Undefined if it exceeds none. What containers write to their root file systems does not count for their own limits if images have a
 * file system of their own.
 */
export function storageExcess(
  pod: Pod,
  stats: PodStats,
  { hasImageFileSystem }: { readonly hasImageFileSystem: boolean },
): StorageExcess | undefined {
  return emptyDirExcess(pod, stats) ?? podExcess(pod, stats) ?? containerExcess(pod, stats, hasImageFileSystem);
}

function emptyDirExcess({ spec }: Pod, { volume = [] }: PodStats): StorageExcess | undefined {
  for (const { name, emptyDir } of spec?.volumes ?? []) {
    if (emptyDir?.sizeLimit === undefined) continue;
    const limit = Quantity.parse(emptyDir.sizeLimit);
    const used = usedBytes(volume.find((each) => each.name === name));
    if (limit.value() <= 0 || used <= limit.value()) continue;
    const message = `Usage of EmptyDir volume ${quote(name)} exceeds the limit ${quote(limit.toString())}. `;
    return { signal: 'emptydirfs.limit', message };
  }
  return undefined;
}

function podExcess(pod: Pod, stats: PodStats): StorageExcess | undefined {
  const limit = podLimits(pod).get(storage);
  if (!limit || usedBytes(stats[storage]) <= limit.value()) return undefined;
  const message = `Pod ephemeral local storage usage exceeds the total limit of containers ${limit.toString()}. `;
  return { signal: 'ephemeralpodfs.limit', message };
}

function containerExcess(
  { spec }: Pod,
  { containers }: PodStats,
  hasImageFileSystem: boolean,
): StorageExcess | undefined {
  for (const { name, logs, rootfs } of containers) {
    const container = spec?.containers.find((each) => each.name === name);
    const limit = container && storageLimitOf(container);
    if (!limit || limit.value() === 0) continue;
    const used = usedBytes(logs) + (hasImageFileSystem ? 0 : usedBytes(rootfs));
    if (used <= limit.value()) continue;
    const message = `Container ${name} exceeded its local ephemeral storage limit ${quote(limit.toString())}. `;
    return { signal: 'ephemeralcontainerfs.limit', message };
  }
  return undefined;
}

function storageLimitOf({ resources }: Container): Quantity | undefined {
  const text = resources?.limits?.[storage];
  return text === undefined ? undefined : Quantity.parse(text);
}

const usedBytes = (stats: FsStats | undefined): number => stats?.usedBytes ?? 0;
