import type { Container, VolumeMount } from '@coxswain/api/core/v1';
import { expand } from './expansion.ts';

/** Throws what the container's status waits for when a part of a volume that it asks for cannot be mounted. */
export function checkSubPaths({ volumeMounts }: Container, env: ReadonlyMap<string, string>): void {
  for (const mount of volumeMounts ?? []) checkedSubPath(mount, env);
}

/** Returns the part of a volume that is mounted, empty for all of it. Throws if the path leads out of the volume, or a variable is missing. */
export function checkedSubPath(mount: VolumeMount, env: ReadonlyMap<string, string>): string {
  const path = subPathOf(mount, env);
  if (path.startsWith('/')) throw new Error(`error SubPath \`${path}\` must not be an absolute path`);
  if (path.split('/').includes('..')) throw new Error(`unable to provision SubPath \`${path}\`: must not contain '..'`);
  return path;
}

function subPathOf({ subPath = '', subPathExpr = '' }: VolumeMount, env: ReadonlyMap<string, string>): string {
  if (subPathExpr === '') return subPath;
  const missing = new Set<string>();
  const path = expand(subPathExpr, (name) => {
    const value = env.get(name) ?? '';
    if (value === '') missing.add(name);
    return value;
  });
  if (missing.size > 0) throw new Error(`missing value for ${[...missing].sort().join(', ')}`);
  return path;
}
