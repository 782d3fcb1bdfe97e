import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface HugePages {
  readonly sizeBytes: number;
  /** How many the kernel has set aside. */
  readonly count: number;
}

/** The sizes of huge pages that the kernel knows, the smallest first; none if it has no huge pages. */
export async function hugePages(sysRoot = '/sys'): Promise<HugePages[]> {
  const directory = join(sysRoot, 'kernel/mm/hugepages');
  const names = await readdir(directory).catch(() => []);
  const found: HugePages[] = [];
  for (const name of names) {
    const size = /^hugepages-(\d+)kB$/.exec(name)?.[1];
    if (size === undefined) continue;
    const count = Number(await readFile(join(directory, name, 'nr_hugepages'), 'utf8'));
    found.push({ sizeBytes: Number(size) * 1024, count });
  }
  return found.sort((a, b) => a.sizeBytes - b.sizeBytes);
}
