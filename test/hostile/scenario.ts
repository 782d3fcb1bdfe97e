import type { Contender } from './contender.ts';

/** One kind of hostile use. Each scenario is a file of `scenarios/`, with a row in `scenarios/index.ts`. */
export interface Scenario {
  /** The name on the command line. */
  readonly name: string;
  readonly what: string;
  /**
   * `address`: works with any server, also one that was not started here. `process`: the scenario starts and kills the
   * server itself, so it only works with servers started here.
   */
  readonly needs: 'address' | 'process';
  /** Throws only when the scenario itself could not be carried out. */
  run(contender: Contender): Promise<readonly Finding[]>;
}

/** One line of the table: a measure, and the contender's value. */
export interface Finding {
  readonly measure: string;
  readonly value: string;
  /** Absent when the value is only reported and not judged. */
  readonly ok?: boolean;
}
