import { messageOf } from '@coxswain/apimachinery/errors';
import { FlagError } from '../flags/parse-flags.ts';
import { builtInCommands } from './built-in-commands.ts';
import { type CommandBody, type CommandContext, UsageError } from './command.ts';
import { findCommand, flagsOf, pathOf, type Step } from './find-command.ts';
import { commandHelp } from './help.ts';
import { checkArguments, flagSuggestion, invocationOf } from './invocation.ts';
import { unknownCommand } from './unknown-command.ts';

/** A program: its name, and the body of the root command. */
export interface Program<Context extends CommandContext> {
  readonly name: string;
  readonly body: CommandBody<Context>;
}

/**
 * Runs the command named by `line` and returns the exit status. Besides the commands of the table there are `help`, `options`, `completion`
 * and the commands that completion scripts call. Never throws: errors are printed with cobra's and kubectl's messages.
 *
 * @example
 * const greet = { name: 'greet', short: 'Say hello', load: async () => ({ run: async ({ context }) => { context.terminal.out('hello\n'); return 0; } }) };
 * const terminal = { out: (text: string) => console.log(text), err: (text: string) => console.error(text) };
 * await runProgram({ name: 'demo', body: { commands: [greet] } }, ['greet'], { terminal });
 */
export async function runProgram<Context extends CommandContext>(
  { name, body }: Program<Context>,
  line: readonly string[],
  context: Context,
): Promise<number> {
  const commands = [...(body.commands ?? []), ...builtInCommands((): Step<Context> => program)];
  const program = { name, short: name, body: { ...body, commands } };
  let steps: readonly Step<Context>[] = [program];
  try {
    const found = await findCommand(program, line);
    steps = found.steps;
    return await runFound(found.steps, found.words, context);
  } catch (error) {
    context.terminal.err(`error: ${explained(steps, error).replace(/\n$/, '')}\n`);
    return 1;
  }
}

async function runFound<Context extends CommandContext>(
  steps: readonly Step<Context>[],
  words: readonly string[],
  context: Context,
): Promise<number> {
  const { body } = steps.at(-1)!;
  const { terminal } = context;
  const invocation = invocationOf({ steps, words }, context);
  if (invocation.wants === 'help') {
    terminal.out(commandHelp(steps));
    return 0;
  }
  if (invocation.wants === 'version' && body.version) {
    terminal.out(await body.version());
    return 0;
  }
  const [first] = invocation.args;
  if (body.commands && !body.args && first !== undefined) throw unknownCommand(steps, first);
  if (!body.run) {
    // As in kubectl: a missing subcommand is an error, a missing command is not.
    (steps.length === 1 ? terminal.out : terminal.err)(commandHelp(steps));
    return steps.length === 1 ? 0 : 1;
  }
  if (!body.passThrough) checkArguments(invocation.path, invocation.args, body.args);
  return body.run(invocation);
}

function explained<Context extends CommandContext>(steps: readonly Step<Context>[], error: unknown): string {
  const usage = `See '${pathOf(steps)} --help' for usage.`;
  if (error instanceof FlagError) return `${error.message}\n${flagSuggestion(error, flagsOf(steps))}${usage}`;
  if (error instanceof UsageError) return error.hint ? `${error.message}\n${usage}` : error.message;
  const explain = steps.findLast(({ body }) => body.explain)?.body.explain;
  if (explain) return explain(error);
  return messageOf(error);
}
