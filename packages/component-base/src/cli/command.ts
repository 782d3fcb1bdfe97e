import type { Completed, FlagTable, Given } from '../flags/flag.ts';

/** Where a command writes to. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** What a program gives to all of its commands; programs add what theirs need. */
export interface CommandContext {
  readonly terminal: Terminal;
}

/** A command as the table of a program lists it. */
export interface Command<Context extends CommandContext> {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** One line, for lists of commands. */
  readonly short: string;
  /** The heading that help lists it under. Default: Available Commands. */
  readonly group?: string;
  /** Runs, but help and completion do not list it. */
  readonly hidden?: boolean;
  /** Imports what the command consists of: help of a program with many commands needs none of them. */
  readonly load: () => Promise<CommandBody<Context>>;
}

/** What a command consists of. */
export interface CommandBody<Context extends CommandContext> {
  /** What `--help` begins with. Default: `short` with a full stop. */
  readonly long?: string;
  /** Command lines with comments, as they are typed into a shell. */
  readonly examples?: string;
  readonly flags?: FlagTable;
  /** Further flags, each group under a heading of its own in `--help`. */
  readonly flagGroups?: Readonly<Record<string, FlagTable>>;
  /** Flags of this command and of all commands below it. */
  readonly persistentFlags?: FlagTable;
  /** Words besides flags. Default: none may be given. */
  readonly args?: Arguments<Context>;
  readonly commands?: readonly Command<Context>[];
  /**
   * Gives the exit status. What it throws is printed by `explain`, and the status is 1. Absent: the command has subcommands only.
   */
  readonly run?: (invocation: Invocation<Context>) => Promise<number>;
  /** What `--version` prints. Absent: there is no such flag. */
  readonly version?: () => string | Promise<string>;
  /** `run` gets all words as they were typed, `--help` included; flags are listed for completion only. */
  readonly passThrough?: boolean;
  /** False: the first word that is no flag ends the flags. */
  readonly interspersed?: boolean;
  /** Completion of the values of flags, by the name of the flag; for flags of commands below, too. */
  readonly completions?: Readonly<Record<string, Completer<Context>>>;
  /** What is printed after `error: ` of something that a command threw; for commands below, too. Default: its message. */
  readonly explain?: (error: unknown) => string;
}

export interface Arguments<Context extends CommandContext> {
  /** As the usage line shows them: `RESOURCE`, `FILE...` */
  readonly usage: string;
  /** Default: 0. */
  readonly least?: number;
  /** Default: no limit. */
  readonly most?: number;
  /** Default: file names. */
  readonly complete?: Completer<Context>;
}

/** A command line as the command that runs sees it. */
export interface Invocation<Context extends CommandContext> {
  readonly context: Context;
  /** `cox generate types` */
  readonly path: string;
  /** All words of the line but the names of the commands, as they were typed. */
  readonly words: readonly string[];
  /** Words that are no flags. */
  readonly args: readonly string[];
  /** How many of them stood before `--`; undefined where there was none. */
  readonly argsBeforeDash: number | undefined;
  /** The last text of each flag that was given, by its name. */
  readonly texts: ReadonlyMap<string, string>;
  /** The values of these flags, with their defaults. The flags must be among those of the command or persistent above it. */
  flags<Flags extends FlagTable>(flags: Flags): Completed<Flags>;
  /** The values of those of these flags that were given. */
  given<Flags extends FlagTable>(flags: Flags): Given<Flags>;
}

/** What a shell does with what was completed, as the bits of cobra's protocol. */
export const directives = {
  error: 1,
  /** No space follows what was completed. */
  noSpace: 2,
  /** File names are not offered when there is nothing else. */
  noFiles: 4,
  /** Names of directories are offered. */
  directories: 16,
} as const;

export interface Completions {
  /** Each alone, or followed by a tab and what it is. Those that do not begin with the word are left out by the caller. */
  readonly values: readonly string[];
  /** Default: `noFiles`. */
  readonly directive?: number;
}

/** Says what a word may become. Must not fail for a line that is not complete yet. */
export type Completer<Context extends CommandContext> = (
  invocation: Invocation<Context>,
  word: string,
) => Completions | Promise<Completions>;

/** A command line that no command can make sense of. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  /** Whether it helps to be told of `--help`. */
  readonly hint: boolean;

  constructor(message: string, { hint = true }: { readonly hint?: boolean } = {}) {
    super(message);
    this.hint = hint;
  }
}
