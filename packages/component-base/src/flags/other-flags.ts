import { boolean, type FlagType } from './flag-types.ts';

/** A flag of upstream's that is accepted but has no effect. */
export interface IgnoredFlag {
  readonly type: FlagType<unknown>;
  /** Why it has no effect. */
  readonly why: string;
  /** True when that could surprise: a notice is logged. */
  readonly tell?: boolean;
  readonly shorthand?: string;
}

/** A flag of upstream's for an unsupported feature. */
export interface RefusedFlag {
  readonly type: FlagType<unknown>;
  /** The unsupported feature. */
  readonly what: string;
  /** Values that are accepted because they mean the same as leaving the flag out. */
  readonly harmless: readonly string[];
  /** What to do instead. */
  readonly instead?: string;
}

export const ignored = (type: FlagType<unknown>, why: string): IgnoredFlag => ({ type, why });

/** A flag without effect. A notice is logged when it is given. */
export const told = (type: FlagType<unknown>, why: string): IgnoredFlag => ({ type, why, tell: true });

export const refused = (type: FlagType<unknown>, what: string, instead?: string): RefusedFlag => ({
  type,
  what,
  harmless: type === boolean ? ['false'] : [''],
  ...(instead && { instead }),
});

export const refusedUnless = (
  type: FlagType<unknown>,
  harmless: readonly string[],
  what: string,
  instead?: string,
): RefusedFlag => ({ ...refused(type, what, instead), harmless });
