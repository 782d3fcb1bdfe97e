import { readdirSync, readFileSync } from 'node:fs';

/** The kernel's measures of a process. Sizes are in bytes. */
export interface ProcessStatus {
  readonly rss: number;
  /** Memory of the process itself: heaps, buffers, stacks. */
  readonly rssAnon: number;
  /** Pages of files: programs, and the read pages of the mapped store. The kernel can reclaim them. */
  readonly rssFile: number;
  readonly fileDescriptors: number;
}

/** Reads `/proc`. Throws when the process has ended. */
export function processStatus(pid: number): ProcessStatus {
  const status = parseStatus(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return { ...status, fileDescriptors: readdirSync(`/proc/${pid}/fd`).length };
}

export function parseStatus(text: string): Omit<ProcessStatus, 'fileDescriptors'> {
  const bytesOf = (name: string): number => {
    const kib = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1];
    if (kib === undefined) throw new Error(`/proc/<pid>/status has no ${name}`);
    return Number(kib) * 1024;
  };
  return { rss: bytesOf('VmRSS'), rssAnon: bytesOf('RssAnon'), rssFile: bytesOf('RssFile') };
}
