import { posix } from 'node:path';
import type { Pod } from '@coxswain/api/core/v1';
import { allContainers } from '../../pods/all-containers.ts';

/**
 * Returns the directories of a volume on which containers mount other volumes, relative to the volume: `b` if the volume is at `/a` and
 * another one at `/a/b`. None inside another. Throws if a mount path leads out of the container.
 */
export function nestedMountPoints(pod: Pod, volume: string): readonly string[] {
  return allContainers(pod).flatMap(({ volumeMounts }) => {
    const mounts = (volumeMounts ?? []).map(({ name, mountPath }) => ({ name, path: cleanPath(mountPath) }));
    const paths = mounts.map(({ path }) => path).sort();
    return mounts.filter(({ name }) => name === volume).flatMap(({ path }) => nestedIn(path, paths));
  });
}

/** The paths must be sorted. */
function nestedIn(outer: string, paths: readonly string[]): readonly string[] {
  if (outer.startsWith('../')) throw new Error(`invalid container mount point ${outer}`);
  const nested: string[] = [];
  for (const path of paths) {
    if (!path.startsWith(`${outer}/`) || nested.some((other) => path.startsWith(`${other}/`))) continue;
    nested.push(path);
  }
  return nested.map((path) => path.slice(outer.length + 1));
}

function cleanPath(path: string): string {
  const normalized = posix.normalize(path);
  return normalized.length > 1 && normalized.endsWith('/') ? normalized.slice(0, -1) : normalized;
}
