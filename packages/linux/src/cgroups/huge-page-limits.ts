import { join } from 'node:path';
import { hasCode } from '../files/index.ts';
import type { HugePages } from '../machine/huge-pages.ts';
import { writeCgroupFile } from './cgroup-files.ts';

/** The kernel's name of a page size in files of cgroups, such as `2MB`. */
export function hugePageUnit(bytes: number): string {
  for (const [unit, size] of [
    ['GB', 2 ** 30],
    ['MB', 2 ** 20],
  ] as const) {
    if (bytes >= size) return `${Math.floor(bytes / size)}${unit}`;
  }
  return `${bytes / 1024}KB`;
}

/** Limits all page sizes of the machine; those without a limit to 0. Reservations have limits of their own since Linux 5.7. */
export async function writeHugePageLimits(
  directory: string,
  suffix: '.limit_in_bytes' | '.max',
  limits: ReadonlyMap<number, number>,
  sizes: readonly Pick<HugePages, 'sizeBytes'>[],
): Promise<void> {
  for (const bytes of new Set([...sizes.map(({ sizeBytes }) => sizeBytes), ...limits.keys()])) {
    const file = join(directory, `hugetlb.${hugePageUnit(bytes)}`);
    const limit = String(limits.get(bytes) ?? 0);
    await writeCgroupFile(`${file}${suffix}`, limit);
    await writeCgroupFile(`${file}.rsvd${suffix}`, limit).catch((error: unknown) => {
      if (!hasCode(error, 'ENOENT')) throw error;
    });
  }
}
