import { type CommandContext, UsageError } from './command.ts';
import { pathOf, type Step } from './find-command.ts';
import { suggestionsFor } from './suggestions.ts';

/** Returns a UsageError with cobra's message, which suggests similar commands. */
export function unknownCommand<Context extends CommandContext>(
  steps: readonly Step<Context>[],
  word: string,
): UsageError {
  const commands = steps.at(-1)!.body.commands ?? [];
  const names = commands.filter(({ hidden }) => !hidden).map(({ name }) => name);
  const meant = suggestionsFor(word, names).map((name) => `\t${name}\n`);
  const hint = meant.length === 0 ? '' : `\n\nDid you mean this?\n${meant.join('')}`;
  const message = `unknown command ${JSON.stringify(word)} for ${JSON.stringify(pathOf(steps))}${hint}`;
  return new UsageError(message, { hint: false });
}
