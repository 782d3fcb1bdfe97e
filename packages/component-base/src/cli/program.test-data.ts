import { flag } from '../flags/flag.ts';
import { boolean, integer, string, strings } from '../flags/flag-types.ts';
import type { CommandContext } from './command.ts';
import { type Program, runProgram } from './run-program.ts';

const globalFlags = { v: { ...flag(integer, 'Verbosity', 0), shorthand: 'v' }, context: flag(string, 'The context') };
const getFlags = {
  output: { ...flag(string, 'How to print', ''), shorthand: 'o', values: ['json', 'yaml'] },
  selector: { ...flag(strings, 'Label selector', []), shorthand: 'l' },
  watch: { ...flag(boolean, 'Watch for changes', false), shorthand: 'w' },
  secret: { ...flag(boolean, '', false), hidden: true },
};

/** A program with one command of each kind. */
export const demo: Program<CommandContext> = {
  name: 'demo',
  body: {
    long: 'A demonstration.',
    persistentFlags: globalFlags,
    version: () => 'demo v1\n',
    completions: { context: () => ({ values: ['work', 'home\tAt home'] }) },
    commands: [
      {
        name: 'get',
        aliases: ['g'],
        short: 'Show resources',
        group: 'Basic Commands',
        load: async () => ({
          flags: getFlags,
          examples: '# All of them\ndemo get pods',
          args: {
            usage: 'RESOURCE [NAME]',
            least: 1,
            most: 2,
            complete: ({ args }) => ({ values: args.length === 0 ? ['pods', 'services'] : [`${args[0]}-1`] }),
          },
          async run(invocation) {
            const { output, selector, watch } = invocation.flags(getFlags);
            const { v, context } = invocation.flags(globalFlags);
            const given = Object.keys(invocation.given(getFlags));
            const { path, args, argsBeforeDash } = invocation;
            invocation.context.terminal.out(
              JSON.stringify({ path, args, argsBeforeDash, output, selector, watch, v, context, given }),
            );
            return 0;
          },
        }),
      },
      {
        name: 'config',
        short: 'Change settings',
        group: 'Settings Commands',
        load: async () => ({
          explain: (error) => `in config: ${error instanceof Error ? error.message : error}`,
          commands: [
            {
              name: 'view',
              short: 'Show settings',
              load: async () => ({
                run: async () => {
                  throw new Error('nothing to see');
                },
              }),
            },
            { name: 'use', short: 'Choose', load: async () => ({ args: { usage: 'NAME' }, run: async () => 3 }) },
          ],
        }),
      },
      {
        name: 'exec',
        short: 'Run a program',
        load: async () => ({
          args: { usage: 'PROGRAM' },
          interspersed: false,
          async run({ args, context }) {
            context.terminal.out(args.join(' '));
            return 0;
          },
        }),
      },
      {
        name: 'server',
        short: 'Run a server',
        load: async () => ({
          passThrough: true,
          flags: { port: flag(integer, 'The port') },
          async run({ args, context }) {
            context.terminal.out(`server ${args.join(' ')}`);
            return 0;
          },
        }),
      },
      { name: 'internal', short: 'For internal use', hidden: true, load: async () => ({ run: async () => 0 }) },
    ],
  },
};

/** Runs the demo program with a command line. */
export async function runDemo(...line: readonly string[]): Promise<{ status: number; out: string; err: string }> {
  const text = { out: '', err: '' };
  const terminal = {
    out: (part: string) => {
      text.out += part;
    },
    err: (part: string) => {
      text.err += part;
    },
  };
  const status = await runProgram(demo, line, { terminal });
  return { status, ...text };
}
