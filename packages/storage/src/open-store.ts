import { type Clock, systemClock } from '@coxswain/apimachinery/clock';
import { type Logger, silentLogger } from '@coxswain/apimachinery/log';
import { type EventLoop, systemEventLoop } from '@coxswain/apimachinery/turns';
import type { StoreSnapshot } from './memory/memory-log.ts';
import { MemoryStore } from './memory/memory-store.ts';
import type { Store } from './store.ts';

export interface MemoryStoreOptions {
  /** The initial contents; empty when absent. */
  readonly snapshot?: StoreSnapshot;
  /** The clock; the system clock when absent. */
  readonly clock?: Clock;
  /** The event loop that long work yields to between slices; this thread's when absent. */
  readonly eventLoop?: EventLoop;
}

export interface LmdbStoreOptions {
  /** The data directory. Only this store may use it. Created when it does not exist. */
  readonly path: string;
  /** The initial size of the memory map in bytes; 256 MiB when absent. It grows with the data. */
  readonly mapSize?: number;
  /** The clock; the system clock when absent. */
  readonly clock?: Clock;
  /** The event loop that long work yields to between slices; this thread's when absent. */
  readonly eventLoop?: EventLoop;
  /** Logs when the disk becomes full and when there is space again. */
  readonly logger?: Logger;
}

/**
 * Returns a store that keeps everything in this process's memory, for tests and for clusters that need not survive a
 * restart.
 */
export function openMemoryStore({
  clock = systemClock,
  eventLoop = systemEventLoop,
  snapshot,
}: MemoryStoreOptions = {}): MemoryStore {
  return new MemoryStore({ clock, eventLoop }, snapshot);
}

/**
 * Opens a store in a directory on disk. Acknowledged writes survive a crash of the process or the machine.
 *
 * Throws a `DataDirectoryError`, and changes nothing, when the directory is in use, holds something else, was written
 * by a later version, or is damaged.
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
