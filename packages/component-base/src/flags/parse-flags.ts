import { quote } from '@coxswain/apimachinery';
import type { FlagType } from './flag-types.ts';

/** A flag that a command knows. */
export interface KnownFlag {
  readonly type: FlagType<unknown>;
  /** One letter: `-v`. */
  readonly shorthand?: string;
}

export interface ParsedFlags {
  /** What each flag says that was given, by its name. */
  readonly values: ReadonlyMap<string, unknown>;
  /** The last text of each, as it stood. */
  readonly texts: ReadonlyMap<string, string>;
  /** What is no flag. */
  readonly rest: readonly string[];
}

/** A command line that cannot be understood. */
export class FlagError extends Error {
  override readonly name = 'FlagError';
}

/**
 * Reads a command line as Go's pflag does: `--flag=value`, `--flag value`, `--flag` for one that may stand alone, `-v4`;
 * `--` ends the flags; an underscore in a name is a dash. Throws a FlagError, in pflag's words, that names the flag.
 */
export function parseFlags(args: readonly string[], flags: ReadonlyMap<string, KnownFlag>): ParsedFlags {
  const values = new Map<string, unknown>();
  const texts = new Map<string, string>();
  const rest: string[] = [];
  const shorthands = new Map([...flags].flatMap(([name, { shorthand }]) => (shorthand ? [[shorthand, name]] : [])));

  const set = (name: string, { type, shorthand }: KnownFlag, text: string): void => {
    try {
      values.set(name, type.read(text, values.get(name)));
    } catch (cause) {
      const shown = shorthand ? `-${shorthand}, --${name}` : `--${name}`;
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new FlagError(`invalid argument ${quote(text)} for ${quote(shown)} flag: ${reason}`, { cause });
    }
    texts.set(name, text);
  };

  const queue = [...args];
  for (let arg = queue.shift(); arg !== undefined; arg = queue.shift()) {
    if (arg === '--') {
      rest.push(...queue);
      break;
    }
    if (arg.startsWith('--')) {
      const at = arg.indexOf('=');
      const written = at === -1 ? arg.slice(2) : arg.slice(2, at);
      if (written === '' || written.startsWith('-')) throw new FlagError(`bad flag syntax: ${arg}`);
      const name = written.replaceAll('_', '-');
      const flag = flags.get(name);
      if (!flag) throw new FlagError(`unknown flag: --${name}`);
      const text = at === -1 ? (flag.type.alone ?? queue.shift()) : arg.slice(at + 1);
      if (text === undefined) throw new FlagError(`flag needs an argument: ${arg}`);
      set(name, flag, text);
    } else if (arg.startsWith('-') && arg !== '-') {
      for (let letters = arg.slice(1); letters !== ''; ) {
        const letter = letters[0]!;
        const name = shorthands.get(letter);
        const flag = name === undefined ? undefined : flags.get(name);
        if (name === undefined || !flag) throw new FlagError(`unknown shorthand flag: '${letter}' in -${letters}`);
        let text: string | undefined;
        if (letters[1] === '=') text = letters.slice(2);
        else if (flag.type.alone !== undefined) {
          set(name, flag, flag.type.alone);
          letters = letters.slice(1);
          continue;
        } else text = letters.length > 1 ? letters.slice(1) : queue.shift();
        if (text === undefined) throw new FlagError(`flag needs an argument: '${letter}' in -${letters}`);
        set(name, flag, text);
        break;
      }
    } else rest.push(arg);
  }
  return { values, texts, rest };
}
