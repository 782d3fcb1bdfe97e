import { describe, expect, it } from 'vitest';
import { runDemo } from './program.test-data.ts';

/** Returns the invocation that the command `get` printed. */
const get = async (...line: readonly string[]) => JSON.parse((await runDemo(...line)).out);

describe('a command', () => {
  it('gets its own flags, persistent flags and arguments, in any order', async () => {
    expect(await get('get', 'pods', '-wo', 'json', '-l', 'a,b', '--context=home', 'web', '-l=c', '-v4')).toEqual({
      path: 'demo get',
      args: ['pods', 'web'],
      output: 'json',
      selector: ['a', 'b', 'c'],
      watch: true,
      v: 4,
      context: 'home',
      given: ['output', 'selector', 'watch'],
    });
  });

  it('is found after flags and by an alias; flags that are not given have their defaults', async () => {
    expect(await get('-v', '4', '--context', 'get', 'g', 'pods')).toEqual({
      path: 'demo get',
      args: ['pods'],
      output: '',
      selector: [],
      watch: false,
      v: 4,
      context: 'get',
      given: [],
    });
  });

  it('knows which arguments came before --', async () => {
    expect(await get('get', 'pods', '--', '-w')).toMatchObject({
      args: ['pods', '-w'],
      argsBeforeDash: 1,
      watch: false,
    });
    expect(await runDemo('exec', '-v1', 'ls', '-l', '--all')).toMatchObject({ status: 0, out: 'ls -l --all' });
  });

  it('gets all words unparsed with passThrough', async () => {
    expect((await runDemo('server', '--port=x', '--help', '-z')).out).toBe('server --port=x --help -z');
    expect((await runDemo('help', 'server')).out).toBe('server --help');
  });

  it('sets the exit status; its errors are formatted by explain', async () => {
    expect(await runDemo('config', 'use', 'a')).toEqual({ status: 3, out: '', err: '' });
    expect(await runDemo('config', 'view')).toEqual({ status: 1, out: '', err: 'error: in config: nothing to see\n' });
  });
});

describe('an invalid command line', () => {
  const seeGet = "See 'demo get --help' for usage.\n";
  it.each<[line: string[], err: string]>([
    [['gte'], 'error: unknown command "gte" for "demo"\n\nDid you mean this?\n\tget\n'],
    [['inter'], 'error: unknown command "inter" for "demo"\n'],
    [['nonsense', 'get'], 'error: unknown command "nonsense" for "demo"\n'],
    [['config', 'vieww'], 'error: unknown command "vieww" for "demo config"\n\nDid you mean this?\n\tview\n'],
    [['help', 'gte'], 'error: unknown command "gte" for "demo"\n\nDid you mean this?\n\tget\n'],
    [
      ['config', 'view', 'x'],
      `error: unknown command "x" for "demo config view"\nSee 'demo config view --help' for usage.\n`,
    ],
    [['get'], `error: requires at least 1 arg(s), only received 0\n${seeGet}`],
    [['get', 'a', 'b', 'c'], `error: accepts at most 2 arg(s), received 3\n${seeGet}`],
    [['get', 'a', '--outptu=json'], `error: unknown flag: --outptu\nDid you mean --output?\n${seeGet}`],
    [['get', 'a', '--secrte'], `error: unknown flag: --secrte\n${seeGet}`],
    [['get', 'a', '-Q'], `error: unknown shorthand flag: 'Q' in -Q\n${seeGet}`],
    [['get', 'a', '--context'], `error: flag needs an argument: --context\n${seeGet}`],
    [['--nope'], "error: unknown flag: --nope\nSee 'demo --help' for usage.\n"],
    [['get', 'a', '--version'], `error: unknown flag: --version\n${seeGet}`],
  ])('%j is an error worded as by kubectl', async (line, err) => {
    expect(await runDemo(...line)).toEqual({ status: 1, out: '', err });
  });
});

describe('help', () => {
  const hint = 'Use "demo options" for a list of global command-line options (applies to all commands).\n';

  it('of the program lists its commands by groups', async () => {
    const out = `A demonstration.

Basic Commands:
  get          Show resources

Settings Commands:
  config       Change settings
  completion   Output shell completion code for the specified shell (bash, zsh, fish, or powershell)

Available Commands:
  exec         Run a program
  server       Run a server

Options:
    --version=false:
	Print version information and quit

Usage:
  demo [flags] [options]

Use "demo <command> --help" for more information about a given command.
${hint}`;
    for (const line of [[], ['--help'], ['-h'], ['help']])
      expect(await runDemo(...line)).toEqual({ status: 0, out, err: '' });
  });

  it('of a command has its flags', async () => {
    const out = `Show resources.

Examples:
  # All of them
  demo get pods

Options:
    -o, --output='':
	How to print

    -l, --selector=[]:
	Label selector

    -w, --watch=false:
	Watch for changes

Usage:
  demo get RESOURCE [NAME] [options]

${hint}`;
    for (const line of [
      ['get', '--help'],
      ['get', 'a', '-h'],
      ['help', 'get'],
      ['help', 'g'],
      ['-v4', 'get', '-wh'],
    ])
      expect(await runDemo(...line)).toEqual({ status: 0, out, err: '' });
  });

  it('of a command group lists its subcommands; without a subcommand the group fails', async () => {
    const { status, out } = await runDemo('config', '--help');
    expect(status).toBe(0);
    expect(out).toContain(
      'Available Commands:\n  view   Show settings\n  use    Choose\n\nUsage:\n  demo config SUBCOMMAND',
    );
    expect(await runDemo('config')).toEqual({ status: 1, out: '', err: out });
  });

  it('of persistent flags is printed by options', async () => {
    expect((await runDemo('options')).out).toBe(
      "The following options can be passed to any command:\n\n    -v, --v=0:\n\tVerbosity\n\n    --context='':\n\tThe context\n",
    );
    expect((await runDemo('--version')).out).toBe('demo v1\n');
  });
});
