import { EventEmitter, once } from 'node:events';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FakeClock } from '@coxswain/apimachinery/clock';
import { describe, expect, it } from 'vitest';
import type { Metrics } from '../../observe/index.ts';
import { noMetrics } from '../../observe/index.ts';
import type { ExecConfig } from '../kubeconfig.ts';
import { tempDir } from '../temp-dir.test-data.ts';
import { ExecCredentials, type ExecOptions } from './exec-credentials.ts';
import type { ExecCluster } from './exec-plugin.ts';

const v1 = 'client.authentication.k8s.io/v1';
const cluster: ExecCluster = { server: 'https://a', config: { audience: 'x', quota: 9_007_199_254_740_993n } };

/** A plug-in in its own directory that runs a script. */
async function plugin(script: string, config: Partial<ExecConfig> = {}, options: ExecOptions = {}) {
  const dir = await tempDir({ 'plugin.mjs': script });
  const credentials = new ExecCredentials(
    {
      apiVersion: v1,
      interactiveMode: 'Never',
      command: process.execPath,
      ...config,
      args: [join(dir, 'plugin.mjs'), ...(config.args ?? [])],
    },
    async () => cluster,
    { clock: new FakeClock(), isTerminal: () => false, ...options },
  );
  return { dir, credentials };
}

const printed = (status: object | undefined, apiVersion = v1): string =>
  `console.log(${JSON.stringify(JSON.stringify({ apiVersion, kind: 'ExecCredential', status }))});`;

/** A script that prints a token with the number of its runs, and appends each run to a file. */
const counting = (more = ''): string => `
  import { appendFileSync, readFileSync } from 'node:fs';
  import { join } from 'node:path';
  const runs = join(import.meta.dirname, 'runs');
  appendFileSync(runs, 'x');
  const token = 't' + readFileSync(runs).length;
  ${more}
  console.log(JSON.stringify({ apiVersion: '${v1}', kind: 'ExecCredential', status: { token, expirationTimestamp } }));`;

describe('ExecCredentials', () => {
  it('passes arguments, environment and cluster to the plug-in', async () => {
    const script = `
      import { writeFileSync } from 'node:fs';
      import { join } from 'node:path';
      const { KUBERNETES_EXEC_INFO, MINE, OURS, PATH } = process.env;
      writeFileSync(join(import.meta.dirname, 'seen'), JSON.stringify([process.argv.slice(2), MINE, OURS, PATH, KUBERNETES_EXEC_INFO]));
      process.stderr.write('look at your phone');
      ${printed({ token: 't' })}`;
    const said: string[] = [];
    const options = { env: { PATH: '/p', OURS: 'o' }, onStderr: (text: Uint8Array) => said.push(String(text)) };
    const config = { args: ['a', 'b c'], env: [{ name: 'MINE', value: 'm' }] };
    for (const provideClusterInfo of [false, true]) {
      const { dir, credentials } = await plugin(script, { ...config, provideClusterInfo }, options);
      expect({ ...(await credentials.current()) }).toEqual({ token: 't' });
      const spec = provideClusterInfo
        ? '"cluster":{"server":"https://a","config":{"audience":"x","quota":9007199254740993}},'
        : '';
      expect(JSON.parse(await readFile(join(dir, 'seen'), 'utf8'))).toEqual([
        ['a', 'b c'],
        'm',
        'o',
        '/p',
        `{"kind":"ExecCredential","apiVersion":"${v1}","spec":{${spec}"interactive":false}}\n`,
      ]);
    }
    expect(said).toEqual(['look at your phone', 'look at your phone']);
  });

  it('runs once for concurrent callers, and again when the credential has expired', async () => {
    const clock = new FakeClock(Date.UTC(2026, 0, 1));
    const script = counting("const expirationTimestamp = '2026-01-01T01:00:00Z';");
    const { credentials } = await plugin(script, {}, { clock });
    const [first, second] = await Promise.all([credentials.current(), credentials.current()]);
    expect(first?.token).toBe('t1');
    expect(second).toBe(first);
    await clock.advance(3_600_000);
    expect(await credentials.current()).toBe(first);
    await clock.advance(1);
    expect((await credentials.current()).token).toBe('t2');
  });

  it('runs again when the server rejected the credential, but not for one that was already replaced', async () => {
    const { credentials } = await plugin(counting('const expirationTimestamp = undefined;'));
    const first = await credentials.current();
    expect(credentials.refused(first)).toBe(true);
    const second = await credentials.current();
    expect(second.token).toBe('t2');
    credentials.refused(first);
    expect(await credentials.current()).toBe(second);
  });

  it('kills the plug-in when all callers have aborted, not before', async () => {
    const script = `
      process.on('SIGTERM', () => process.stderr.write('ended', () => process.exit()));
      setInterval(() => {}, 1000);
      process.stderr.write('started');`;
    const said = new EventEmitter();
    const { credentials } = await plugin(script, {}, { onStderr: (text) => said.emit(String(text)) });
    const [a, b] = [new AbortController(), new AbortController()];
    const started = once(said, 'started');
    const ended = once(said, 'ended');
    const one = credentials.current(a.signal);
    const two = credentials.current(b.signal);
    await started;
    a.abort(new Error('a gave up'));
    await expect(one).rejects.toThrow('a gave up');
    b.abort(new Error('b gave up'));
    await expect(two).rejects.toThrow('b gave up');
    await ended;
  });

  it.each<[sentence: string, script: string, message: string]>([
    ['fails', 'process.exit(7)', `exec: executable ${process.execPath} failed with exit code 7`],
    [
      'is killed',
      "process.kill(process.pid, 'SIGKILL')",
      `exec: executable ${process.execPath} failed with exit code -1`,
    ],
    [
      'prints too much',
      "setInterval(() => process.stdout.write('x'.repeat(1e6)), 1)",
      `exec: executable ${process.execPath} printed more than 4194304 bytes`,
    ],
    ['prints an empty status', printed({}), "exec plugin didn't return a token or cert/key pair"],
  ])('reports an error when the plug-in %s', async (_, script, message) => {
    const { credentials } = await plugin(script);
    await expect(credentials.current()).rejects.toMatchObject({ message: `getting credentials: ${message}` });
  });

  it('adds a help text for a missing plug-in, at a limited rate', async () => {
    const clock = new FakeClock();
    const counted: string[] = [];
    const metrics: Metrics = {
      ...noMetrics,
      counter: ({ name }) => ({ add: (value, ...labels) => counted.push([name, value, ...labels].join()) }),
    };
    const config = {
      apiVersion: v1,
      interactiveMode: 'Never',
      command: 'no-such-plugin',
      installHint: 'brew \x1b[1m it',
    };
    const credentials = new ExecCredentials(config, async () => cluster, { clock, metrics });
    const message = async (): Promise<string> => credentials.current().then(String, (error: Error) => error.message);
    const short = 'getting credentials: exec: executable no-such-plugin not found';
    const long = `${short}

It looks like you are trying to use a client-go credential plugin that is not installed.

To learn more about this feature, consult the documentation available at:
      https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins

brew U+001B[1m it`;
    for (let i = 0; i < 10; i++) expect(await message()).toBe(long);
    expect(await message()).toBe(short);
    await clock.advance(3_600_000);
    expect(await message()).toBe(long);
    expect(new Set(counted)).toEqual(new Set(['rest_client_exec_plugin_call_total,1,1,plugin_not_found_error']));
  });

  it('reports why a file cannot be executed', async () => {
    const dir = await tempDir({ plugin: '#!/bin/sh\n' });
    const command = join(dir, 'plugin');
    const run = (path: string) =>
      new ExecCredentials({ apiVersion: v1, interactiveMode: 'Never', command: path }, async () => cluster).current();
    await chmod(command, 0o600);
    await expect(run(command)).rejects.toThrow(`getting credentials: exec: fork/exec ${command}: permission denied`);
    await expect(run(`${command}2`)).rejects.toThrow(`exec: fork/exec ${command}2: no such file or directory`);
  });

  const cannot = 'getting credentials: exec plugin cannot support interactive mode:';
  it.each<[sentence: string, mode: string, options: ExecOptions, outcome: string]>([
    ['never', 'Never', { isTerminal: () => true }, 'false'],
    ['if stdin is a terminal', 'IfAvailable', { isTerminal: () => true }, 'true'],
    ['not if stdin is not a terminal', 'IfAvailable', { isTerminal: () => false }, 'false'],
    ['not if stdin is in use', 'IfAvailable', { isTerminal: () => true, stdinUnavailable: '' }, 'false'],
    ['always', 'Always', { isTerminal: () => true }, 'true'],
    [
      'always, but stdin is not a terminal',
      'Always',
      { isTerminal: () => false },
      `${cannot} standard input is not a terminal`,
    ],
    [
      'always, but stdin is in use',
      'Always',
      { isTerminal: () => true, stdinUnavailable: 'used by us' },
      `${cannot} standard input is unavailable: used by us`,
    ],
  ])('is interactive: %s', async (_, interactiveMode, options, outcome) => {
    const script = `
      const token = String(JSON.parse(process.env.KUBERNETES_EXEC_INFO).spec.interactive);
      console.log(JSON.stringify({ apiVersion: '${v1}', kind: 'ExecCredential', status: { token } }));`;
    const { credentials } = await plugin(script, { interactiveMode }, options);
    const told = credentials.current().then(
      ({ token }) => token,
      (error: Error) => error.message,
    );
    expect(await told).toBe(outcome);
  });

  it('recovers from a failure', async () => {
    const { dir, credentials } = await plugin('process.exit(1)');
    await expect(credentials.current()).rejects.toThrow('exit code 1');
    await writeFile(join(dir, 'plugin.mjs'), printed({ token: 'good' }));
    expect((await credentials.current()).token).toBe('good');
  });
});
