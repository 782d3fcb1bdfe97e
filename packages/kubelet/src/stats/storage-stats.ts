import type { Pod } from '@coxswain/api/core/v1';
import { timeFromDate } from '@coxswain/apimachinery/time';
import type { Clock } from '@coxswain/client';
import type { FilesystemUsage } from '@coxswain/cri';
import type { FileSystemUsage } from '@coxswain/linux';
import { timeOf } from './from-cri.ts';
import type { NodeStatsSources } from './node-stats-sources.ts';
import type { ContainerStats, FsStats, PodReference, PodStats } from './summary.ts';

interface RootfsOptions {
  readonly machine: NodeStatsSources | undefined;
  readonly writableLayer: FilesystemUsage | undefined;
  /** The container's log directory. */
  readonly logs: string | undefined;
  readonly clock: Clock;
}

/** What a container has written to its root file system, and to its logs. */
export async function rootfsStats(options: RootfsOptions): Promise<Pick<ContainerStats, 'rootfs' | 'logs'>> {
  const { machine, writableLayer, logs, clock } = options;
  // Runtimes measure now and then; 0 stands for not yet.
  const rootfs = writableLayer?.timestamp && {
    ...capacityOf(await machine?.figures.fileSystem(writableLayer.fsId?.mountpoint ?? '/')),
    time: timeOf(writableLayer.timestamp),
    usedBytes: writableLayer.usedBytes?.value,
    inodesUsed: writableLayer.inodesUsed?.value,
  };
  const written = logs === undefined ? undefined : await machine?.figures.directory(logs);
  const logStats = machine &&
    written && {
      ...capacityOf(await machine.figures.fileSystem(machine.rootDirectory)),
      time: timeFromDate(new Date(clock.now())),
      usedBytes: written.bytes,
      inodesUsed: written.inodes,
    };
  return { ...(rootfs && { rootfs }), ...(logStats && { logs: logStats }) };
}

/** A pod's volumes, and what counts for its ephemeral storage: writable layers, logs, and volumes on the node's disk. */
export async function podStorage(
  machine: NodeStatsSources,
  { uid }: PodReference,
  containers: readonly ContainerStats[],
  { pod, clock }: { readonly pod: Pod | undefined; readonly clock: Clock },
): Promise<Pick<PodStats, 'volume' | 'ephemeral-storage'>> {
  const volume = await machine.volumes(uid);
  const parts = [
    ...containers.flatMap(({ rootfs, logs }) => [rootfs ?? [], logs ?? []].flat()),
    ...volume.filter(({ name }) => isLocalEphemeral(pod, name)),
  ];
  const sum = (of: (part: FsStats) => number | undefined): number =>
    parts.reduce((sum, part) => sum + (of(part) ?? 0), 0);
  return {
    ...(volume.length > 0 && { volume }),
    'ephemeral-storage': {
      ...capacityOf(await machine.figures.fileSystem(machine.rootDirectory)),
      time: timeFromDate(new Date(clock.now())),
      usedBytes: sum(({ usedBytes }) => usedBytes),
      inodesUsed: sum(({ inodesUsed }) => inodesUsed),
    },
  };
}

/** True for volumes that take space of the node's disk and end with the pod. */
function isLocalEphemeral(pod: Pod | undefined, name: string): boolean {
  const volume = pod?.spec?.volumes?.find((each) => each.name === name);
  if (volume?.emptyDir) return volume.emptyDir.medium !== 'Memory';
  return volume?.configMap !== undefined || volume?.gitRepo !== undefined;
}

/** All figures of a file system. */
export const fsStats = (usage: FileSystemUsage, clock: Clock): FsStats => ({
  time: timeFromDate(new Date(clock.now())),
  ...capacityOf(usage),
  usedBytes: usage.usedBytes,
  inodesUsed: usage.inodesUsed,
});

/** What does not depend on who uses it. */
export const capacityOf = (usage: FileSystemUsage | undefined): Omit<FsStats, 'time'> =>
  usage
    ? {
        availableBytes: usage.availableBytes,
        capacityBytes: usage.capacityBytes,
        inodesFree: usage.inodesFree,
        inodes: usage.inodes,
      }
    : {};
