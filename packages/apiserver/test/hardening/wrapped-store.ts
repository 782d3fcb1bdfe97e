import type { Store, Watch, WatchHandler, WriteResult } from '@coxswain/storage';

export type StoreOperation =
  | 'checkWritable'
  | 'currentRevision'
  | 'get'
  | 'list'
  | 'count'
  | 'put'
  | 'delete'
  | 'compact';

/** A store that delegates to another one. Its operations can be observed, delayed and made to fail. */
export class WrappedStore implements Store {
  readonly #store: Store;
  readonly #watches = new Set<(error: Error) => void>();
  /** Called before every operation. An error that it throws is thrown by the operation. */
  before: (operation: StoreOperation, key: string) => Promise<void> | void = () => {};
  /** Called after every successful write. */
  wrote: (operation: 'put' | 'delete', key: string) => void = () => {};
  /** Called when the store was closed. */
  closed: () => void = () => {};

  constructor(store: Store) {
    this.#store = store;
  }

  get driver(): Store['driver'] {
    return this.#store.driver;
  }

  async currentRevision(): Promise<number> {
    await this.before('currentRevision', '');
    return this.#store.currentRevision();
  }

  async checkWritable(): Promise<void> {
    await this.before('checkWritable', '');
    await this.#store.checkWritable();
  }

  compactedRevision(): Promise<number> {
    return this.#store.compactedRevision();
  }

  async get(...args: Parameters<Store['get']>): ReturnType<Store['get']> {
    await this.before('get', args[0]);
    return this.#store.get(...args);
  }

  async list(...args: Parameters<Store['list']>): ReturnType<Store['list']> {
    await this.before('list', args[0]);
    return this.#store.list(...args);
  }

  async count(prefix: string): Promise<number> {
    await this.before('count', prefix);
    return this.#store.count(prefix);
  }

  async put(...args: Parameters<Store['put']>): Promise<WriteResult> {
    await this.before('put', args[0]);
    const result = await this.#store.put(...args);
    if (result.ok) this.wrote('put', args[0]);
    return result;
  }

  async delete(...args: Parameters<Store['delete']>): Promise<WriteResult> {
    await this.before('delete', args[0]);
    const result = await this.#store.delete(...args);
    if (result.ok) this.wrote('delete', args[0]);
    return result;
  }

  watch(prefix: string, after: number, handler: WatchHandler): Watch {
    let broken = false;
    const watch = this.#store.watch(prefix, after, {
      onEvents: (events) => broken || handler.onEvents(events),
      onProgress: (revision) => broken || handler.onProgress?.(revision),
      onEnd: (error) => {
        this.#watches.delete(stop);
        if (!broken) handler.onEnd?.(error);
      },
    });
    const stop = (error: Error): void => {
      broken = true;
      watch.stop();
      handler.onEnd?.(error);
    };
    this.#watches.add(stop);
    return watch;
  }

  /** The number of open watches. */
  get watches(): number {
    return this.#watches.size;
  }

  /** Ends every watch with the error, as a lost connection does. */
  breakWatches(error: Error): void {
    for (const stop of [...this.#watches]) stop(error);
  }

  async compact(revision: number): Promise<void> {
    await this.before('compact', '');
    return this.#store.compact(revision);
  }

  async close(): Promise<void> {
    await this.#store.close();
    this.closed();
  }
}
