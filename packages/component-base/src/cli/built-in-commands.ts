import type { Command, CommandBody, CommandContext } from './command.ts';
import { directives, UsageError } from './command.ts';
import { findCommand, type Step } from './find-command.ts';
import { commandHelp, globalOptionsHelp } from './help.ts';
import { invocationOf } from './invocation.ts';
import { unknownCommand } from './unknown-command.ts';

/** The commands that every program has. They are listed after its own. */
export function builtInCommands<Context extends CommandContext>(
  program: () => Step<Context>,
): readonly Command<Context>[] {
  const completing = (name: string, withDescriptions: boolean): Command<Context> => ({
    name,
    short: 'Request shell completion choices for the specified command-line',
    hidden: true,
    load: async () => ({ passThrough: true, run: answerShell(program, withDescriptions) }),
  });
  return [
    {
      name: 'completion',
      short: 'Output shell completion code for the specified shell (bash, zsh, fish, or powershell)',
      group: 'Settings Commands',
      load: async () => completionBody(program().name),
    },
    { name: 'help', short: 'Help about any command', hidden: true, load: async () => helpBody(program) },
    {
      name: 'options',
      short: 'Print the list of flags inherited by all commands',
      hidden: true,
      load: async () => optionsBody(program),
    },
    completing('__complete', true),
    completing('__completeNoDesc', false),
  ];
}

function helpBody<Context extends CommandContext>(program: () => Step<Context>): CommandBody<Context> {
  return {
    args: {
      usage: '[COMMAND]',
      complete: async (invocation, word) => {
        const { complete } = await import('./complete.ts');
        return complete(program(), [...invocation.args, word], invocation.context);
      },
    },
    async run({ args, context }) {
      const { steps, words } = await findCommand(program(), args);
      const { body } = steps.at(-1)!;
      const [word] = words;
      if (word !== undefined && body.commands) throw unknownCommand(steps, word);
      if (!body.passThrough || !body.run) {
        context.terminal.out(commandHelp(steps));
        return 0;
      }
      return body.run(invocationOf({ steps, words: ['--help'] }, context));
    },
  };
}

function optionsBody<Context extends CommandContext>(program: () => Step<Context>): CommandBody<Context> {
  return {
    async run({ context }) {
      context.terminal.out(globalOptionsHelp(program().body.persistentFlags ?? {}));
      return 0;
    },
  };
}

const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;

function completionBody<Context extends CommandContext>(program: string): CommandBody<Context> {
  return {
    long: `Output shell completion code for the specified shell (${shells.slice(0, -1).join(', ')}, or powershell). The shell
must evaluate it for completion to work: source it from the file that the shell reads when it starts.`,
    examples: `# Completion in the bash that runs now
source <(${program} completion bash)

# In zsh; compinit must have run before
source <(${program} completion zsh)

# In fish
${program} completion fish | source

# In PowerShell
${program} completion powershell | Out-String | Invoke-Expression`,
    args: { usage: 'SHELL', complete: () => ({ values: shells }) },
    async run({ args: [shell, ...more], context }) {
      if (shell === undefined) throw new UsageError('Shell not specified.');
      if (more.length > 0) throw new UsageError('Too many arguments. Expected only the shell type.');
      const { completionScripts } = await import('./completion-scripts/index.ts');
      const script = completionScripts.get(shell);
      if (!script) throw new UsageError(`Unsupported shell type ${JSON.stringify(shell)}.`);
      context.terminal.out(script(program));
      return 0;
    },
  };
}

/** Answers as cobra does: one completion of the last word per line, then a colon and the directive. */
const answerShell =
  <Context extends CommandContext>(
    program: () => Step<Context>,
    withDescriptions: boolean,
  ): NonNullable<CommandBody<Context>['run']> =>
  async ({ args, context }) => {
    const { complete } = await import('./complete.ts');
    const answer = await complete(program(), args, context).catch(() => ({
      values: [],
      directive: directives.error,
    }));
    for (const value of answer.values) {
      const [line = ''] = value.split('\n');
      context.terminal.out(`${withDescriptions ? line : line.split('\t', 1)[0]}\n`);
    }
    context.terminal.out(`:${answer.directive}\n`);
    return 0;
  };
