import type { LeaderElector } from './leader-elector.ts';

/** Leader election as a health check: a leader that could neither renew its lease nor stop is not well. */
export class LeaderHealthzAdaptor {
  readonly name = 'leaderElection';
  readonly #toleranceMs: number;
  #elector: LeaderElector | undefined;

  /** A lease may have run out for so long. */
  constructor(toleranceMs: number) {
    this.#toleranceMs = toleranceMs;
  }

  /** The health check is there before the election; until then all is well. */
  setLeaderElection(elector: LeaderElector): void {
    this.#elector = elector;
  }

  /** Throws what is wrong. */
  check(): void {
    const problem = this.#elector?.check(this.#toleranceMs);
    if (problem) throw problem;
  }
}
