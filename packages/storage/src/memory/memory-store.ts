import { MvccStore, type MvccStoreOptions } from '../mvcc/index.ts';
import { MemoryLog, type StoreSnapshot } from './memory-log.ts';

/** A store whose whole state can be taken, and begun with, at no cost but that of a list of it. */
export class MemoryStore extends MvccStore {
  readonly #memory: MemoryLog;

  /** Begins with the snapshot's state: its keys, revisions and history. Any number of stores may begin with the same one. */
  constructor(options: Pick<MvccStoreOptions, 'clock' | 'eventLoop'>, snapshot?: StoreSnapshot) {
    const memory = new MemoryLog(snapshot);
    super({ ...options, driver: 'memory', log: memory });
    this.#memory = memory;
  }

  /** Everything that has been acknowledged. */
  snapshot(): StoreSnapshot {
    return this.#memory.snapshot();
  }
}
