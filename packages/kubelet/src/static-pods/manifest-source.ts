import { type FSWatcher, watch } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pod } from '@coxswain/api/core/v1';
import { type Clock, type Logger, sleep } from '@coxswain/client';
import { readStaticPods } from './read-static-pods.ts';

export interface ManifestFilesOptions {
  /** A directory of manifests, or one manifest. */
  readonly path: string;
  readonly nodeName: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How often the files are read even without a change notification. 20 seconds by default. */
  readonly intervalMs?: number;
}

/** Called with all static pods of the source whenever they have been read. Not called when reading fails, so the known pods stay. */
type OnPods = (pods: readonly Pod[]) => void;

const longestManifest = 10 * 2 ** 20;
/** How long to wait after a change notification, because editors and `cp` write in several steps. */
const settleMs = 50;

/** Reads manifests from the disk until the signal is aborted: at once, after each change notification, and periodically. */
export async function followManifestFiles(
  options: ManifestFilesOptions,
  signal: AbortSignal,
  onPods: OnPods,
): Promise<void> {
  const { path, clock, logger, intervalMs = 20_000 } = options;
  let wake = new AbortController();
  const watcher = watchPath(path, () => wake.abort());
  try {
    while (!signal.aborted) {
      try {
        onPods(await readManifests(options));
      } catch (error) {
        logger.error('Unable to read config path', error, { path });
      }
      await sleep(clock, intervalMs, AbortSignal.any([signal, wake.signal])).catch(() => {});
      if (wake.signal.aborted) await sleep(clock, settleMs, signal).catch(() => {});
      wake = new AbortController();
    }
  } finally {
    watcher?.close();
  }
}

async function readManifests({ path, nodeName, clock, logger }: ManifestFilesOptions): Promise<Pod[]> {
  const info = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (!info) return [];
  if (info.isFile()) return readStaticPods(await readLimited(path), { kind: 'file', name: path }, nodeName, clock);
  if (!info.isDirectory()) throw new Error('path is not a directory or file');
  const pods: Pod[] = [];
  for (const name of (await readdir(path)).filter((each) => !each.startsWith('.')).sort()) {
    const file = join(path, name);
    try {
      if (!(await stat(file)).isFile()) {
        logger.error('Manifest path is not a file', undefined, { path: file });
        continue;
      }
      pods.push(...readStaticPods(await readLimited(file), { kind: 'file', name: file }, nodeName, clock));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') continue;
      logger.error('Could not process manifest file', error, { path: file });
    }
  }
  return pods;
}

async function readLimited(path: string): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    if (size > longestManifest) throw new Error(`the file has more than ${longestManifest} bytes`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

function watchPath(path: string, onChange: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(path, onChange);
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    // The path does not exist or cannot be watched. It is still read periodically.
    return undefined;
  }
}

export interface ManifestUrlOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly nodeName: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** 20 seconds by default. */
  readonly intervalMs?: number;
}

const requestTimeoutMs = 10_000;
const mostLoggedFailures = 3;

/** Reads manifests from a URL periodically until the signal is aborted. */
export async function followManifestUrl(
  options: ManifestUrlOptions,
  signal: AbortSignal,
  onPods: OnPods,
): Promise<void> {
  const { url, nodeName, clock, logger, intervalMs = 20_000 } = options;
  let known: Buffer | undefined;
  let failures = 0;
  while (!signal.aborted) {
    try {
      const text = await fetchLimited(options, signal);
      if (text.length === 0) {
        onPods([]);
        throw new Error(`zero-length data received from ${url}`);
      }
      if (!known?.equals(text)) onPods(readStaticPods(text, { kind: 'http', name: url }, nodeName, clock));
      known = text;
      if (failures > 0) logger.info('Successfully read pods from URL', { url });
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      if (failures++ < mostLoggedFailures) logger.error('Failed to read pods from URL', error, { url });
    }
    await sleep(clock, intervalMs, signal).catch(() => {});
  }
}

async function fetchLimited({ url, headers, clock }: ManifestUrlOptions, signal: AbortSignal): Promise<Buffer> {
  const stop = new AbortController();
  const timer = clock.setTimeout(() => stop.abort(new Error(`${url} did not answer in time`)), requestTimeoutMs);
  try {
    const response = await fetch(url, { headers, signal: AbortSignal.any([signal, stop.signal]) });
    if (response.status !== 200) throw new Error(`${url}: ${response.status} ${response.statusText}`);
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body ?? []) {
      size += chunk.length;
      if (size > longestManifest) throw new Error(`${url} has more than ${longestManifest} bytes`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } finally {
    timer.cancel();
  }
}
