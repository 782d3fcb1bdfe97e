import type { Completed, FlagTable, Given } from '../flags/flag.ts';

/** Standard output and standard error of a command. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** Passed to every command of a program. Programs extend it with what their commands need. */
export interface CommandContext {
  readonly terminal: Terminal;
}

/** An entry in the command table of a program. */
export interface Command<Context extends CommandContext> {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** One line, for lists of commands. */
  readonly short: string;
  /** The heading in help. Default: Available Commands. */
  readonly group?: string;
  /** The command runs, but help and completion do not list it. */
  readonly hidden?: boolean;
  /** Imports the body of the command lazily: help of a program with many commands needs none of them. */
  readonly load: () => Promise<CommandBody<Context>>;
}

/** The lazily loaded definition of a command. */
export interface CommandBody<Context extends CommandContext> {
  /** The first text of `--help`. Default: `short` with a full stop. */
  readonly long?: string;
  /** Command lines with comments, as they are typed into a shell. */
  readonly examples?: string;
  readonly flags?: FlagTable;
  /** Further flags, each group under a heading of its own in `--help`. */
  readonly flagGroups?: Readonly<Record<string, FlagTable>>;
  /** Flags of this command and of all its subcommands. */
  readonly persistentFlags?: FlagTable;
  /** Positional arguments. Default: none are allowed. */
  readonly args?: Arguments<Context>;
  readonly commands?: readonly Command<Context>[];
  /**
   * Returns the exit status. When it throws, the error is printed by `explain` and the status is 1. Absent: the command has subcommands
   * only.
   */
  readonly run?: (invocation: Invocation<Context>) => Promise<number>;
  /** Returns the text of `--version`. Absent: there is no such flag. */
  readonly version?: () => string | Promise<string>;
  /** `run` gets all words unparsed, `--help` included. `flags` are then for completion only. */
  readonly passThrough?: boolean;
  /** False: the first word that is not a flag ends the flags. */
  readonly interspersed?: boolean;
  /** Completers for the values of flags, by flag name. They also apply to subcommands. */
  readonly completions?: Readonly<Record<string, Completer<Context>>>;
  /** Returns the text printed after `error: ` for an error that the command or a subcommand threw. Default: the error's message. */
  readonly explain?: (error: unknown) => string;
}

export interface Arguments<Context extends CommandContext> {
  /** As in the usage line: `RESOURCE`, `FILE...` */
  readonly usage: string;
  /** Default: 0. */
  readonly least?: number;
  /** Default: no limit. */
  readonly most?: number;
  /** Default: file names. */
  readonly complete?: Completer<Context>;
}

/** The parsed command line of the command that runs. */
export interface Invocation<Context extends CommandContext> {
  readonly context: Context;
  /** `cox generate types` */
  readonly path: string;
  /** All words of the command line except the names of the commands, unparsed. */
  readonly words: readonly string[];
  /** The positional arguments. */
  readonly args: readonly string[];
  /** The number of `args` before `--`; undefined when there is no `--`. */
  readonly argsBeforeDash: number | undefined;
  /** The last text given for each flag, by flag name. */
  readonly texts: ReadonlyMap<string, string>;
  /** Returns the values of these flags, with defaults. The flags must be the command's own or persistent flags of its parents. */
  flags<Flags extends FlagTable>(flags: Flags): Completed<Flags>;
  /** Returns the values of those flags that were given. */
  given<Flags extends FlagTable>(flags: Flags): Given<Flags>;
}

/** Bits of cobra's completion protocol that tell the shell how to use the completions. */
export const directives = {
  error: 1,
  /** No space is added after a completion. */
  noSpace: 2,
  /** File names are not offered when there are no completions. */
  noFiles: 4,
  /** Directory names are offered. */
  directories: 16,
} as const;

export interface Completions {
  /** Values, each optionally followed by a tab and a description. The caller drops those that do not begin with the word. */
  readonly values: readonly string[];
  /** Default: `noFiles`. */
  readonly directive?: number;
}

/** Returns the completions of a word. Must not fail for an incomplete command line. */
export type Completer<Context extends CommandContext> = (
  invocation: Invocation<Context>,
  word: string,
) => Completions | Promise<Completions>;

/** An invalid command line. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  /** Whether the message is followed by a hint to use `--help`. */
  readonly hint: boolean;

  constructor(message: string, { hint = true }: { readonly hint?: boolean } = {}) {
    super(message);
    this.hint = hint;
  }
}
