import type { Cluster } from '@coxswain/cluster';
import type { Traffic } from '../traffic/traffic.ts';
import type { StoreHistory } from './store-history.ts';

/** The API server lets events for a watch wait 10 ms, at most, for others to go with them. */
const paceMs = 12;

/** Turns of the event loop after which it is not made to spin any more. */
const patientTurns = 200;

export interface SettlerOptions {
  readonly cluster: Pick<Cluster, 'isIdle'>;
  readonly traffic: Traffic;
  readonly history: StoreHistory;
}

/** Knows when a cluster has come to rest. */
export class Settler {
  readonly #options: SettlerOptions;
  /** Everything up to these has been sent to whoever watches. */
  #sent = { revision: -1, changes: -1 };

  constructor(options: SettlerOptions) {
    this.#options = options;
  }

  /**
   * Resolves when there is nothing more to do at this moment of the clock. That is: the server has sent to all watches what
   * was written; every component has taken it in; no queue has anything in it; no request is without its answer. What goes on
   * within a component otherwise are promises, which end before the event loop turns. It is not waited until all know of heartbeats, where they do not
   * count. Rejects with the signal's reason.
   */
  async settle(counts: 'revision' | 'changes' = 'revision', signal?: AbortSignal): Promise<void> {
    const { history } = this.#options;
    let turns = 0;
    for (let quietTurns = 0; ; ) {
      signal?.throwIfAborted();
      await nextTurn(++turns > patientTurns);
      quietTurns = this.#isQuiet ? quietTurns + 1 : 0;
      if (quietTurns < 2) continue;
      if (this.#sent[counts] === history[counts]) return;
      const { revision, changes } = history;
      await new Promise<void>((resolve) => setTimeout(resolve, paceMs));
      this.#sent = { revision, changes };
      quietTurns = 0;
    }
  }

  get #isQuiet(): boolean {
    const { cluster, traffic } = this.#options;
    return traffic.isQuiet && cluster.isIdle;
  }
}

const nextTurn = (slowly: boolean): Promise<void> =>
  new Promise((resolve) => (slowly ? setTimeout(resolve, 1) : setImmediate(resolve)));
