import type { Flag, FlagTable } from '../flags/flag.ts';
import type { Command, CommandContext } from './command.ts';
import { pathOf, type Step, versionFlag } from './find-command.ts';

/** Returns the `--help` text of the last command, in kubectl's layout. */
export function commandHelp<Context extends CommandContext>(steps: readonly Step<Context>[]): string {
  const { short, body } = steps.at(-1)!;
  const { long = `${short}.`, examples, commands = [], flags = {}, flagGroups = {}, persistentFlags = {} } = body;
  const program = steps[0]!.name;
  const path = pathOf(steps);
  // The persistent flags of the program itself are printed by `options`.
  const own =
    steps.length > 1 ? { ...flags, ...persistentFlags } : { ...flags, ...(body.version && { version: versionFlag }) };
  const hints = [
    ...(commands.length > 0 ? [`Use "${path} <command> --help" for more information about a given command.`] : []),
    `Use "${program} options" for a list of global command-line options (applies to all commands).`,
  ];
  return [
    long,
    ...(examples ? [`Examples:\n${indented(examples)}`] : []),
    ...commandGroups(commands),
    ...flagSection('Options', own),
    ...Object.entries(flagGroups).flatMap(([title, group]) => flagSection(title, group)),
    `Usage:\n  ${usageOf(steps)}`,
    hints.join('\n'),
  ]
    .join('\n\n')
    .concat('\n');
}

/** Returns the text that `options` prints. */
export const globalOptionsHelp = (flags: FlagTable): string =>
  `The following options can be passed to any command:\n\n${Object.entries(flags).filter(isShown).map(described).join('\n\n')}\n`;

function usageOf<Context extends CommandContext>(steps: readonly Step<Context>[]): string {
  const { args, commands, run, flags } = steps.at(-1)!.body;
  const isGroup = steps.length > 1 && commands !== undefined && !run;
  const words = args?.usage ?? (isGroup ? 'SUBCOMMAND' : flags || steps.length === 1 ? '[flags]' : '');
  return [pathOf(steps), words, '[options]'].filter((part) => part !== '').join(' ');
}

/** Lists the commands below their headings, in the order of the table. */
function commandGroups<Context extends CommandContext>(commands: readonly Command<Context>[]): string[] {
  const groups = new Map<string, Command<Context>[]>();
  for (const command of commands) {
    if (command.hidden) continue;
    const title = command.group ?? 'Available Commands';
    groups.set(title, [...(groups.get(title) ?? []), command]);
  }
  const width = Math.max(0, ...[...groups.values()].flat().map(({ name }) => name.length));
  return [...groups].map(([title, members]) =>
    [`${title}:`, ...members.map(({ name, short }) => `  ${name.padEnd(width)}   ${short}`)].join('\n'),
  );
}

function flagSection(title: string, flags: FlagTable): string[] {
  const shown = Object.entries(flags).filter(isShown);
  return shown.length === 0 ? [] : [`${title}:\n${shown.map(described).join('\n\n')}`];
}

const isShown = ([, { hidden }]: readonly [string, Flag<unknown>]): boolean => !hidden;

function described([name, flag]: readonly [string, Flag<unknown>]): string {
  const letter = flag.shorthand === undefined ? '' : `-${flag.shorthand}, `;
  return `    ${letter}--${name}${shownDefault(flag)}:\n\t${flag.about}`;
}

/** Formats the default as kubectl does. */
function shownDefault({ type, byDefault }: Flag<unknown>): string {
  if (Array.isArray(byDefault)) return `=[${byDefault.join(',')}]`;
  if (byDefault instanceof Map) return '=';
  if (typeof byDefault === 'string' || (byDefault === undefined && type.name === 'string'))
    return `='${byDefault ?? ''}'`;
  return byDefault === undefined ? '' : `=${byDefault}`;
}

const indented = (text: string): string =>
  text
    .split('\n')
    .map((line) => (line === '' ? '' : `  ${line}`))
    .join('\n');
