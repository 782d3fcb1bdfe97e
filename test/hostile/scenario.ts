import type { Contender } from './contender.ts';

/** One kind of hostile use. Each scenario is a file of `scenarios/`, with a row in `scenarios/index.ts`. */
export interface Scenario {
  /** What the command line calls it. */
  readonly name: string;
  readonly what: string;
  /**
   * `address`: any server will do, also one that somebody else runs. `process`: the scenario starts, kills and starts
   * again, and so runs only against servers of its own.
   */
  readonly needs: 'address' | 'process';
  /** Throws only when the scenario itself could not be carried out. */
  run(contender: Contender): Promise<readonly Finding[]>;
}

/** One line of the table: what was measured, and how this contender did. */
export interface Finding {
  readonly measure: string;
  readonly value: string;
  /** Absent where a figure is told and not judged. */
  readonly ok?: boolean;
}
