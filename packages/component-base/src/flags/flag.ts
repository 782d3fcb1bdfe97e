import type { FlagType } from './flag-types.ts';

/** A supported flag. `byDefault` is its value when it is not given. */
export interface Flag<T, Default extends T | undefined = T | undefined> {
  readonly type: FlagType<T>;
  readonly byDefault: Default;
  readonly about: string;
  /** One letter: `-o`. */
  readonly shorthand?: string;
  /** The value when the flag is given without one; by default that of its type. Corresponds to pflag's NoOptDefVal. */
  readonly alone?: string;
  /** Accepted, but left out of `--help` and of completion. */
  readonly hidden?: boolean;
  /** The values that completion offers. Absent: file names. */
  readonly values?: readonly string[];
}

/** Flags by name. */
export type FlagTable = Readonly<Record<string, Flag<unknown>>>;

/** A flag without a default. */
export function flag<T>(type: FlagType<T>, about: string): Flag<T, undefined>;
/** A flag with a default. */
export function flag<T>(type: FlagType<T>, about: string, byDefault: NoInfer<T>): Flag<T, T>;
export function flag<T>(type: FlagType<T>, about: string, byDefault?: T): Flag<T> {
  return { type, about, byDefault };
}

/** Turns `secure-port` into `securePort`. */
type CamelCase<Name> = Name extends `${infer Head}-${infer Tail}` ? `${Head}${Capitalize<CamelCase<Tail>>}` : Name;

export const camelCase = (name: string): string =>
  name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** The given values of these flags, by camelCase name. */
export type Given<Flags> = {
  readonly [Name in keyof Flags as CamelCase<Name>]?: Flags[Name] extends Flag<infer T> ? T : never;
};

/** The values of these flags with defaults, by camelCase name. */
export type Completed<Flags> = {
  readonly [Name in keyof Flags as CamelCase<Name>]: Flags[Name] extends Flag<infer T, infer Default>
    ? T | Default
    : never;
};

/** Returns the given values, with defaults for the other flags. */
export function withDefaults<Flags extends Readonly<Record<string, { readonly byDefault: unknown }>>>(
  flags: Flags,
  given: Given<Flags>,
): Completed<Flags> {
  const said = given as Readonly<Record<string, unknown>>;
  const entries = Object.entries(flags).map(([name, { byDefault }]) => [
    camelCase(name),
    said[camelCase(name)] ?? byDefault,
  ]);
  return Object.fromEntries(entries) as Completed<Flags>;
}
