import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface MemoryInfo {
  readonly totalBytes: number;
  readonly freeBytes: number;
  /** What new programs can have without swapping. */
  readonly availableBytes: number;
  readonly swapTotalBytes: number;
  readonly swapFreeBytes: number;
}

/** Reads `/proc/meminfo`. Rejects if it does not tell the size of the memory. */
export async function memoryInfo(procRoot = '/proc'): Promise<MemoryInfo> {
  const path = join(procRoot, 'meminfo');
  const text = await readFile(path, 'utf8');
  const bytes = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1] ?? 0) * 1024;
  const totalBytes = bytes('MemTotal');
  if (totalBytes === 0) throw new Error(`${path} has no MemTotal`);
  return {
    totalBytes,
    freeBytes: bytes('MemFree'),
    availableBytes: bytes('MemAvailable'),
    swapTotalBytes: bytes('SwapTotal'),
    swapFreeBytes: bytes('SwapFree'),
  };
}
