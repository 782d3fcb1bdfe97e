import { Flag, Rcode, type ResourceRecord } from '../wire/index.ts';

/** Counts changes of data. Answers that were made at another value are out of date. */
export interface Epoch {
  value: number;
}

/**
 * Allows the server to keep the encoded answer, and to send it again for the same question without asking the plug-ins. Every plug-in that does something for each
 * query, or whose answer depends on more than question and flags, takes it away.
 */
export interface Reuse {
  readonly epoch: Epoch;
  /** Of the epoch when the answer was made. */
  readonly value: number;
  /** Set when TTLs count down: the time of the clock at which the answer had its TTLs. */
  readonly agesFromMs?: number;
  /** Not used at or after this time. */
  readonly untilMs?: number;
  /** Whether to begin with another address each time. */
  readonly rotates?: boolean;
  /** Called for each use. */
  readonly onUse?: (() => void) | undefined;
}

/** The answer to a query, without what the server copies from the query. */
export interface Reply {
  readonly rcode: number;
  /** AA, TC, RA and AD. */
  readonly flags: number;
  readonly answers: readonly ResourceRecord[];
  readonly authorities: readonly ResourceRecord[];
  readonly additionals: readonly ResourceRecord[];
  /** The plug-in that answered. */
  readonly plugin?: string;
  /** Why there is no better answer; logged by `errors`. */
  readonly error?: Error;
  readonly reuse?: Reuse | undefined;
  /** Set when a template's rule drops the query. */
  readonly isDropped?: boolean;
}

export const emptyReply = (rcode: number, flags = 0): Reply => ({
  rcode,
  flags,
  answers: [],
  authorities: [],
  additionals: [],
});

/** The answer when a plug-in cannot answer at all. */
export const failure = (plugin: string, error: Error, rcode: number = Rcode.SERVFAIL): Reply => ({
  ...emptyReply(rcode),
  plugin,
  error,
});

export const authoritative = Flag.AA;
