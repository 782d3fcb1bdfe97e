import type { EventLoop } from '@coxswain/apimachinery/turns';
import type { Cluster } from '@coxswain/cluster';

/**
 * Starts components of a cluster when those who waited for it have gone on: a test need not wait until components are made that its
 * cluster does not need to be ready.
 */
export class LaterStart {
  readonly #cluster: Pick<Cluster, 'startComponent'>;
  /** Those that are to be started. */
  readonly #names = new Set<string>();
  readonly #eventLoop: EventLoop;

  constructor(cluster: Pick<Cluster, 'startComponent'>, eventLoop: EventLoop) {
    this.#cluster = cluster;
    this.#eventLoop = eventLoop;
  }

  /** Whether none is to be started any more. */
  get isOver(): boolean {
    return this.#names.size === 0;
  }

  /** Starts them in the next turn of the event loop. */
  next(names: readonly string[]): void {
    for (const name of names) this.#names.add(name);
    this.#eventLoop.onNextTurn(() => {
      for (const name of this.#names) this.#cluster.startComponent(name);
      this.#names.clear();
    });
  }

  /** One of them is not started after all. */
  skip(name: string): void {
    this.#names.delete(name);
  }

  /** None of them is. */
  cancel(): void {
    this.#names.clear();
  }
}
