import type { Traffic } from '../traffic/traffic.ts';
import type { StoreHistory } from './store-history.ts';

/** The API server lets events for a watch wait 10 ms, at most, for others to go with them. */
const paceMs = 12;

/** Turns of the event loop after which it is not made to spin any more. */
const patientTurns = 200;

/** So many turns in which nothing is under way make sure that promises have come to their end. */
const quietTurns = 2;

/** So many, where somebody is in the midst of something: it waits for the clock, to try again. */
const waitingTurns = 30;

export interface SettlerOptions {
  /** Whether components have started and have done what they have heard of. */
  isIdle(): boolean;
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
   * was written; every component has taken it in; no request is without its answer; and no queue has anything in it, but for
   * what waits for the clock. What goes on otherwise are promises, which end before the event loop turns. Where only `changes` count, it is not
   * waited until all know of heartbeats. Rejects when it takes too long.
   */
  async settle(counts: 'revision' | 'changes', timeoutMs: number): Promise<void> {
    const { isIdle, traffic, history } = this.#options;
    const giveUpAt = performance.now() + timeoutMs;
    let turns = 0;
    for (let quiet = 0; ; ) {
      if (performance.now() > giveUpAt) throw new Error('the cluster does not come to rest');
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
