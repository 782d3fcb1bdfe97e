import { MvccStore, type MvccStoreOptions } from '../mvcc/index.ts';
import { MemoryLog, type StoreSnapshot } from './memory-log.ts';

/** A store in memory. Taking a snapshot, or starting from one, costs no more than copying a list of its entries. */
export class MemoryStore extends MvccStore {
  readonly #memory: MemoryLog;

  /** Starts with the snapshot's keys, revisions and history. Any number of stores may start from the same snapshot. */
  constructor(options: Pick<MvccStoreOptions, 'clock' | 'eventLoop'>, snapshot?: StoreSnapshot) {
    const memory = new MemoryLog(snapshot);
    super({ ...options, driver: 'memory', log: memory });
    this.#memory = memory;
  }

  /** Returns all acknowledged writes. */
  snapshot(): StoreSnapshot {
    return this.#memory.snapshot();
  }
}
