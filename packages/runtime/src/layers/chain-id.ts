import { createHash } from 'node:crypto';

/** Returns the names of the layers of an image, each together with those below it, from the digests of the uncompressed layers. */
export function chainIds(diffIds: readonly string[]): string[] {
  const chain: string[] = [];
  for (const diffId of diffIds) {
    const parent = chain.at(-1);
    chain.push(
      parent === undefined ? diffId : `sha256:${createHash('sha256').update(`${parent} ${diffId}`).digest('hex')}`,
    );
  }
  return chain;
}
