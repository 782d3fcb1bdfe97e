import { quote } from '@coxswain/apimachinery';
import { messageOf } from '@coxswain/apimachinery/errors';
import type { FlagType } from './flag-types.ts';

/** A flag that the parser accepts. */
export interface KnownFlag {
  readonly type: FlagType<unknown>;
  /** One letter: `-v`. */
  readonly shorthand?: string;
  /** The value when the flag is given without one; by default that of its type. Corresponds to pflag's NoOptDefVal. */
  readonly alone?: string;
}

export interface ParseFlagsOptions {
  /** False: the first word that is not a flag ends the flags, as `--` does. */
  readonly interspersed?: boolean;
}

export interface ParsedFlags {
  /** The parsed values of the given flags, by name. */
  readonly values: ReadonlyMap<string, unknown>;
  /** The last unparsed text of each given flag, by name. */
  readonly texts: ReadonlyMap<string, string>;
  /** The words that are not flags. */
  readonly rest: readonly string[];
  /** The number of words in `rest` before `--`; undefined when there is no `--`. */
  readonly argsBeforeDash: number | undefined;
}

/** An invalid command line. */
export class FlagError extends Error {
  override readonly name = 'FlagError';
  /** Set for unknown flags: the name without dashes. */
  readonly unknown: string | undefined;

  constructor(message: string, options: ErrorOptions & { readonly unknown?: string } = {}) {
    super(message, options);
    this.unknown = options.unknown;
  }
}

/**
 * Parses a command line as Go's pflag does: `--flag=value`, `--flag value`, `--flag` when the value may be left out, `-v4`. Words may stand
 * between flags. `--` ends the flags. Underscores in names count as dashes. Throws a FlagError with pflag's message, which names the flag.
 */
export function parseFlags(
  args: readonly string[],
  flags: ReadonlyMap<string, KnownFlag>,
  { interspersed = true }: ParseFlagsOptions = {},
): ParsedFlags {
  const values = new Map<string, unknown>();
  const texts = new Map<string, string>();
  const rest: string[] = [];
  let argsBeforeDash: number | undefined;
  const shorthands = new Map([...flags].flatMap(([name, { shorthand }]) => (shorthand ? [[shorthand, name]] : [])));

  const set = (name: string, { type, shorthand }: KnownFlag, text: string): void => {
    try {
      values.set(name, type.read(text, values.get(name)));
    } catch (cause) {
      const shown = shorthand ? `-${shorthand}, --${name}` : `--${name}`;
      const reason = messageOf(cause);
      throw new FlagError(`invalid argument ${quote(text)} for ${quote(shown)} flag: ${reason}`, { cause });
    }
    texts.set(name, text);
  };

  const queue = [...args];
  for (let arg = queue.shift(); arg !== undefined; arg = queue.shift()) {
    if (arg === '--') {
      argsBeforeDash = rest.length;
      rest.push(...queue);
      break;
    }
    if (arg.startsWith('--')) {
      const at = arg.indexOf('=');
      const written = at === -1 ? arg.slice(2) : arg.slice(2, at);
      if (written === '' || written.startsWith('-')) throw new FlagError(`bad flag syntax: ${arg}`);
      const name = written.replaceAll('_', '-');
      const flag = flags.get(name);
      if (!flag) throw new FlagError(`unknown flag: --${name}`, { unknown: name });
      const text = at === -1 ? (aloneOf(flag) ?? queue.shift()) : arg.slice(at + 1);
      if (text === undefined) throw new FlagError(`flag needs an argument: ${arg}`);
      set(name, flag, text);
    } else if (arg.startsWith('-') && arg !== '-') {
      for (let letters = arg.slice(1); letters !== ''; ) {
        const letter = letters[0]!;
        const name = shorthands.get(letter);
        const flag = name === undefined ? undefined : flags.get(name);
        if (name === undefined || !flag) throw new FlagError(`unknown shorthand flag: '${letter}' in -${letters}`);
        let text: string | undefined;
        const alone = aloneOf(flag);
        if (letters.length > 2 && letters[1] === '=') text = letters.slice(2);
        else if (alone !== undefined) {
          set(name, flag, alone);
          letters = letters.slice(1);
          continue;
        } else text = letters.length > 1 ? letters.slice(1) : queue.shift();
        if (text === undefined) throw new FlagError(`flag needs an argument: '${letter}' in -${letters}`);
        set(name, flag, text);
        break;
      }
    } else {
      rest.push(arg);
      if (interspersed) continue;
      rest.push(...queue);
      break;
    }
  }
  return { values, texts, rest, argsBeforeDash };
}

const aloneOf = ({ alone, type }: KnownFlag): string | undefined => alone ?? type.alone;
