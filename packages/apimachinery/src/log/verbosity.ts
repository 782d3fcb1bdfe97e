/** The levels up to which infos are logged, by the names of loggers. Can be changed while a program runs. */
export interface Verbosity {
  /** Returns the level up to which a logger with that name logs its infos. */
  of(name: string): number;
  /** Changes the level of all loggers whose name no pattern matches. */
  set(level: number): void;
}

/** The level of the loggers whose name matches a pattern. */
export interface NamedVerbosity {
  /** A name, or the last part of one, with `*` for any characters and `?` for one: `scheduler`, `reflector*`. */
  readonly pattern: string;
  readonly level: number;
}

/** Returns a verbosity with one level for all loggers (`-v`), and other levels for some (`--vmodule`), of which the first match wins. */
export function verbosity(level: number, named: readonly NamedVerbosity[] = []): Verbosity {
  const rules = named.map(({ pattern, level }) => ({ matches: matcher(pattern), level }));
  const byName = new Map<string, number | undefined>();
  let common = level;
  const ruleOf = (name: string): number | undefined => {
    if (!byName.has(name)) byName.set(name, rules.find(({ matches }) => matches(name))?.level);
    return byName.get(name);
  };
  return {
    of: (name) => (rules.length === 0 ? common : (ruleOf(name) ?? common)),
    set: (level) => {
      common = level;
    },
  };
}

/** Parses `--vmodule`: `pattern=level`, separated by commas. Throws for anything else. */
export function parseNamedVerbosity(text: string): NamedVerbosity[] {
  const rules = text.split(',').filter((part) => part !== '');
  return rules.map((rule) => {
    const [pattern = '', level = '', ...more] = rule.split('=');
    if (pattern === '' || level === '' || more.length > 0)
      throw new Error(`${JSON.stringify(rule)} does not have the pattern=N format`);
    const why = levelProblem(level);
    if (why) throw new Error(`parsing verbosity in ${JSON.stringify(rule)}: ${why}`);
    return { pattern, level: Number(level) };
  });
}

/** Levels are int32, as in klog. */
const levelProblem = (text: string): string | undefined => {
  const parsing = `strconv.ParseUint: parsing ${JSON.stringify(text)}:`;
  if (!/^[0-9]+$/.test(text)) return `${parsing} invalid syntax`;
  return Number(text) > 2 ** 31 - 1 ? `${parsing} value out of range` : undefined;
};

function matcher(pattern: string): (name: string) => boolean {
  const escaped = pattern.replace(/[.+^${}()|[\]\\]/g, String.raw`\$&`);
  const whole = new RegExp(`^(?:.*\\.)?${escaped.replaceAll('*', '.*').replaceAll('?', '.')}$`);
  return (name) => whole.test(name);
}
