import { type Clock, systemClock } from '@coxswain/apimachinery/clock';
import { type Logger, silentLogger } from '@coxswain/apimachinery/log';
import { type EventLoop, systemEventLoop } from '@coxswain/apimachinery/turns';
import type { StoreSnapshot } from './memory/memory-log.ts';
import { MemoryStore } from './memory/memory-store.ts';
import type { Store } from './store.ts';

export interface MemoryStoreOptions {
  /** What it begins with; absent: nothing. */
  readonly snapshot?: StoreSnapshot;
  /** Where time comes from; absent: the machine's. */
  readonly clock?: Clock;
  /** Where others get their turn while it works in slices; absent: the thread's own. */
  readonly eventLoop?: EventLoop;
}

export interface LmdbStoreOptions {
  /** The data directory, for this store alone. It is created if it is not there. */
  readonly path: string;
  /** How many bytes of address space to begin with; absent: 256 MiB. It grows with the data. */
  readonly mapSize?: number;
  /** Where time comes from; absent: the machine's. */
  readonly clock?: Clock;
  /** Where others get their turn while it works in slices; absent: the thread's own. */
  readonly eventLoop?: EventLoop;
  /** Told when the disk is full, and when it is not any more. */
  readonly logger?: Logger;
}

/** A store that keeps everything in this process. For tests, and for clusters that may forget. */
export function openMemoryStore({
  clock = systemClock,
  eventLoop = systemEventLoop,
  snapshot,
}: MemoryStoreOptions = {}): MemoryStore {
  return new MemoryStore({ clock, eventLoop }, snapshot);
}

/**
 * A store in a directory on disk. What it acknowledges is there after a crash of the process or the machine.
 *
 * Throws a `DataDirectoryError`, and changes nothing, when the directory is in use, holds something else, was written by
 * a later version, or is damaged.
 */
export async function openLmdbStore({
  path,
  mapSize = 256 * 1024 * 1024,
  clock = systemClock,
  eventLoop = systemEventLoop,
  logger = silentLogger,
}: LmdbStoreOptions): Promise<Store> {
  const { openLmdb } = await import('./lmdb/index.ts');
  return openLmdb({ path, mapSize, clock, eventLoop, logger });
}
