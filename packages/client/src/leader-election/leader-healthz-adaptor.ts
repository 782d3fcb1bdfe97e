import type { LeaderElector } from './leader-elector.ts';

/** A health check for leader election. Fails when a leader could neither renew its lease nor stop. */
export class LeaderHealthzAdaptor {
  readonly name = 'leaderElection';
  readonly #toleranceMs: number;
  #elector: LeaderElector | undefined;

  /** `toleranceMs` is how long the lease may have been expired. */
  constructor(toleranceMs: number) {
    this.#toleranceMs = toleranceMs;
  }

  /** The health check is created before the election, and succeeds until this is called. */
  setLeaderElection(elector: LeaderElector): void {
    this.#elector = elector;
  }

  /** Throws when the check fails. */
  check(): void {
    const problem = this.#elector?.check(this.#toleranceMs);
    if (problem) throw problem;
  }
}
