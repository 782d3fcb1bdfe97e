import { readFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { makeDirectory } from '@coxswain/storage';
import type { ClusterDirectory } from './cluster-directory.ts';
import { writeWhole } from './write-whole.ts';

const fileOf = ({ node }: ClusterDirectory): string => join(node, 'pod-range');

/** 10.244.0.0/16, which kubeadm and others use, is the first. */
const candidates = Array.from({ length: 11 }, (_, i) => `10.${244 + i}.0.0/16`);

/**
 * Returns the addresses of the pods of a cluster: those that it had before, or ones that neither another cluster of this user nor an interface
 * of this machine has. Pods of two clusters could not be told apart otherwise.
 */
export async function podRangeOf(directory: ClusterDirectory, others: readonly ClusterDirectory[]): Promise<string> {
  const own = await read(directory);
  if (own !== undefined) return own;
  const taken = new Set<string | undefined>(await Promise.all(others.map(read)));
  const addresses = Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address));
  const isFree = (range: string): boolean =>
    !taken.has(range) && !addresses.some((address) => address.startsWith(range.slice(0, -'0.0/16'.length)));
  const range = candidates.find(isFree);
  if (range === undefined)
    throw new Error(`all of ${candidates[0]} to ${candidates.at(-1)} are in use on this machine`);
  await makeDirectory(directory.node);
  await writeWhole(fileOf(directory), `${range}\n`);
  return range;
}

async function read(directory: ClusterDirectory): Promise<string | undefined> {
  const text = await readFile(fileOf(directory), 'utf8').catch(() => undefined);
  return candidates.find((range) => range === text?.trim());
}
