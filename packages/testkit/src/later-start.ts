import type { EventLoop } from '@coxswain/apimachinery/turns';
import type { Cluster } from '@coxswain/cluster';

/**
 * Starts components in the next turn of the event loop, after `startCluster` has resolved: a test need not wait for the construction of
 * components that its cluster does not need to be ready.
 */
export class LaterStart {
  readonly #cluster: Pick<Cluster, 'startComponent'>;
  /** The names of the components still to start. */
  readonly #names = new Set<string>();
  readonly #eventLoop: EventLoop;

  constructor(cluster: Pick<Cluster, 'startComponent'>, eventLoop: EventLoop) {
    this.#cluster = cluster;
    this.#eventLoop = eventLoop;
  }

  /** True when no component is left to start. */
  get isOver(): boolean {
    return this.#names.size === 0;
  }

  /** Starts the components in the next turn of the event loop. */
  next(names: readonly string[]): void {
    for (const name of names) this.#names.add(name);
    this.#eventLoop.onNextTurn(() => {
      for (const name of this.#names) this.#cluster.startComponent(name);
      this.#names.clear();
    });
  }

  /** Does not start this component after all. */
  skip(name: string): void {
    this.#names.delete(name);
  }

  /** Does not start any of them. */
  cancel(): void {
    this.#names.clear();
  }
}
