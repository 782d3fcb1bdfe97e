import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runDemo } from './program.test-data.ts';

const [files, noFiles] = [':0\n', ':4\n'];

describe('completion of a command line', () => {
  it.each<[line: string[], answer: string]>([
    [
      ['co'],
      `config\tChange settings\ncompletion\tOutput shell completion code for the specified shell (bash, zsh, fish, or powershell)\n${noFiles}`,
    ],
    [['int'], noFiles],
    [['config', ''], `view\tShow settings\nuse\tChoose\n${noFiles}`],
    [['get', ''], `pods\nservices\n${noFiles}`],
    [['get', '-w', 'p'], `pods\n${noFiles}`],
    [['get', 'pods', '-o', 'json', ''], `pods-1\n${noFiles}`],
    [['get', 'pods', 'a', ''], noFiles],
    [['get', '--o'], `--output\tHow to print\n${noFiles}`],
    [['get', '--sec'], noFiles],
    [['get', '--', '--o'], noFiles],
    [['get', '-o', ''], `json\nyaml\n${noFiles}`],
    [['get', '--output', 'y'], `yaml\n${noFiles}`],
    [['get', '--output=j'], `json\n${noFiles}`],
    [['get', '--watch='], `true\nfalse\n${noFiles}`],
    [['get', '--selector', ''], files],
    [['get', 'pods', '--context', 'h'], `home\tAt home\n${noFiles}`],
    [['-v', ''], noFiles],
    [['config', 'use', ''], files],
    [['config', 'view', ''], noFiles],
    [['server', '--p'], `--port\tThe port\n${noFiles}`],
    [
      ['help', 'c'],
      `config\tChange settings\ncompletion\tOutput shell completion code for the specified shell (bash, zsh, fish, or powershell)\n${noFiles}`,
    ],
    [['help', 'config', 'v'], `view\tShow settings\n${noFiles}`],
    [['completion', 'b'], `bash\n${noFiles}`],
    [['get', '--nonsense', ''], `pods\nservices\n${noFiles}`],
  ])('%j', async (line, out) => {
    expect(await runDemo('__complete', ...line)).toEqual({ status: 0, out, err: '' });
  });

  it('leaves out descriptions for __completeNoDesc', async () => {
    expect((await runDemo('__completeNoDesc', 'get', '--o')).out).toBe(`--output\n${noFiles}`);
  });
});

describe('completion scripts', () => {
  it.each(['bash', 'zsh', 'fish', 'powershell'])('the one for %s calls the program', async (shell) => {
    const { status, out } = await runDemo('completion', shell);
    expect(status).toBe(0);
    expect(out).toContain('__complete');
    expect(out).not.toContain('undefined');
  });

  it.each([
    [[], 'Shell not specified.'],
    [['ksh'], 'Unsupported shell type "ksh".'],
    [['bash', 'x'], 'Too many arguments. Expected only the shell type.'],
  ])('completion %j is an error', async (args, message) => {
    const err = `error: ${message}\nSee 'demo completion --help' for usage.\n`;
    expect(await runDemo('completion', ...args)).toEqual({ status: 1, out: '', err });
  });
});

const hasBash = spawnSync('bash', ['-c', 'true']).status === 0;

/* The program records its arguments and prints the answer given by the test. */
describe.skipIf(!hasBash)('in bash', () => {
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'complete-'));
    writeFileSync(join(folder, 'demo'), '#!/bin/sh\nprintf "<%s>" "$@" > "$ASKED"\nprintf "$ANSWER"\n', {
      mode: 0o755,
    });
    writeFileSync(join(folder, 'script'), (await runDemo('completion', 'bash')).out);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /**
   * Completes `words`, which are `line` as bash splits it. Returns the program's arguments and the completions offered.
   */
  function tab(words: readonly string[], line: string, answer: string): { asked: string; offered: string[] } {
    const program = `
      COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
      COMP_LINE='${line}'; COMP_POINT=${line.length}
      compopt() { :; }; source script; _demo_complete; printf '%s\\n' "\${COMPREPLY[@]}"; echo "--"; cat asked`;
    const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', program], {
      cwd: folder,
      env: { PATH: [folder, process.env.PATH].join(delimiter), ASKED: join(folder, 'asked'), ANSWER: answer },
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    const [offered = '', asked = ''] = stdout.split('--\n');
    return { asked, offered: offered.split('\n').filter(Boolean) };
  }

  it.each<[words: string[], line: string, asked: string]>([
    [['demo', ''], 'demo ', '<__completeNoDesc><>'],
    [['demo', 'ge'], 'demo ge', '<__completeNoDesc><ge>'],
    [['demo', 'get', '--o'], 'demo get   --o', '<__completeNoDesc><get><--o>'],
    [['demo', 'get', '--output', '=', ''], 'demo get --output=', '<__completeNoDesc><get><--output=>'],
    [['demo', 'get', '--output', '=', 'j'], 'demo get --output=j', '<__completeNoDesc><get><--output=j>'],
    [['demo', 'get', '-l', 'a', '=', 'b', ''], 'demo get -l a=b ', '<__completeNoDesc><get><-l><a=b><>'],
    [['demo', 'get', 'a', ':', 'b'], 'demo get a:b', '<__completeNoDesc><get><a:b>'],
  ])('%j passes on the words as they were typed', (words, line, asked) => {
    expect(tab(words, line, 'json\\nyaml\\n:4\\n')).toEqual({ asked, offered: ['json', 'yaml'] });
  });

  it('offers directories for directive 16, and nothing for directive 1 (error)', () => {
    expect(tab(['demo', '/us'], 'demo /us', ':16\\n').offered).toEqual(['/usr']);
    expect(tab(['demo', 'x'], 'demo x', 'a\\n:1\\n').offered).toEqual([]);
  });
});
