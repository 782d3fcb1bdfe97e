import { boolean, type FlagType } from './flag-types.ts';

/** A flag of upstream's that is accepted and makes no difference. */
export interface IgnoredFlag {
  readonly type: FlagType<unknown>;
  /** Why not. */
  readonly why: string;
  /** Somebody who gave it could be surprised, and is told so. */
  readonly tell?: boolean;
  readonly shorthand?: string;
}

/** A flag of upstream's that asks for something that is not there. */
export interface RefusedFlag {
  readonly type: FlagType<unknown>;
  /** What is not there. */
  readonly what: string;
  /** What it may say all the same: the same as when it is not given. */
  readonly harmless: readonly string[];
  /** What to do instead. */
  readonly instead?: string;
}

export const ignored = (type: FlagType<unknown>, why: string): IgnoredFlag => ({ type, why });

/** Ignored, and whoever gives it is told. */
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
