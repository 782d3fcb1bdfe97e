import type { Traffic } from '../traffic/traffic.ts';
import type { StoreHistory } from './store-history.ts';

/** The API server delays events of a watch by up to 10 ms, to send several together. */
const paceMs = 12;

/** After this many turns of the event loop, `settle` waits with timers instead of `setImmediate`. */
const patientTurns = 200;

/** After this many turns without requests, all promise chains have ended. */
const quietTurns = 2;

/** The number of turns when a component is not idle: it may be waiting for the clock before a retry. */
const waitingTurns = 30;

export interface SettlerOptions {
  /** True when all components have started and have done the work they know of. */
  isIdle(): boolean;
  readonly traffic: Traffic;
  readonly history: StoreHistory;
}

/** Determines when a cluster has no work left. */
export class Settler {
  readonly #options: SettlerOptions;
  /** The revision and the count of changes up to which everything has been sent to watchers. */
  #sent = { revision: -1, changes: -1 };

  constructor(options: SettlerOptions) {
    this.#options = options;
  }

  /**
   * Resolves when there is no work left at this time of the clock. That is: the server has sent all writes to all watches; every component
   * has processed them; no request is in progress; and all queues are empty, except for items that wait for the clock. Any other work
   * consists of promises, which settle before the next turn of the event loop. With `changes`, this does not wait until all watches have
   * received heartbeats. Rejects after the timeout.
   */
  async settle(counts: 'revision' | 'changes', timeoutMs: number): Promise<void> {
    const { isIdle, traffic, history } = this.#options;
    const giveUpAt = performance.now() + timeoutMs;
    let turns = 0;
    for (let quiet = 0; ; ) {
      if (performance.now() > giveUpAt) throw new Error('the cluster did not settle in time');
      await nextTurn(++turns > patientTurns);
      quiet = traffic.isQuiet ? quiet + 1 : 0;
      if (quiet < (isIdle() ? quietTurns : waitingTurns)) continue;
      if (this.#sent[counts] === history[counts]) return;
      const { revision, changes } = history;
      await new Promise<void>((resolve) => setTimeout(resolve, paceMs));
      this.#sent = { revision, changes };
      quiet = 0;
    }
  }
}

const nextTurn = (slowly: boolean): Promise<void> =>
  new Promise((resolve) => (slowly ? setTimeout(resolve, 1) : setImmediate(resolve)));
