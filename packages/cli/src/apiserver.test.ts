import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseYaml } from '@coxswain/apimachinery';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { apiserver } from './apiserver.ts';
import { main } from './main.ts';
import { quietProcess } from './server-process.test-data.ts';
import type { ServerProcess } from './server-process.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cox-apiserver-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** A terminal that records its output, and a process whose signals the test sends. */
function newTerminal() {
  const text = { out: '', err: '' };
  let signalled = (): void => {};
  const exits: number[] = [];
  let isListening = false;
  let isTidying = false;
  const server: ServerProcess = {
    ...quietProcess,
    env: { XDG_DATA_HOME: folder },
    onSignal(callback) {
      isListening = true;
      signalled = callback;
      return () => {
        isListening = false;
      };
    },
    tidyAtRest() {
      isTidying = true;
      return () => {
        isTidying = false;
      };
    },
    exit: (status) => exits.push(status),
  };
  let onOut = (): void => {};
  const ready = new Promise<void>((resolve) => {
    onOut = resolve;
  });
  const terminal = {
    out: (part: string) => {
      text.out += part;
      onOut();
    },
    err: (part: string) => {
      text.err += part;
    },
  };
  return {
    text,
    server,
    terminal,
    exits,
    ready,
    signal: () => signalled(),
    isListening: () => isListening,
    isTidying: () => isTidying,
  };
}

async function run(...args: string[]): Promise<{ status: number; out: string; err: string }> {
  const { text, terminal, server } = newTerminal();
  const status = await apiserver(args, terminal, server);
  return { status, ...text };
}

describe('cox apiserver', () => {
  it('prints its flags', async () => {
    const { status, out } = await run('--help');
    expect(status).toBe(0);
    expect(out).toContain('cox apiserver [flags]');
    expect(out).toMatch(/ --secure-port int\n/);
  });

  it('prints its version', async () => {
    expect(await run('--version')).toMatchObject({ status: 0, out: 'Kubernetes v1.36.4\n' });
  });

  it('is a command of cox', async () => {
    const { text, terminal } = newTerminal();
    expect(await main(['apiserver', '--version'], terminal)).toBe(0);
    expect(await main(['--help'], terminal)).toBe(0);
    expect(text.out).toContain('apiserver');
  });

  const mistakes: Record<string, [args: string[], err: string]> = {
    'an unknown flag': [['--foo'], 'error: unknown flag: --foo; cox apiserver --help lists all flags\n'],
    'several mistakes at once': [
      ['--secure-port=70000', '--oidc-client-id=x'],
      'error: --secure-port 70000 must be between 0 and 65535, inclusive. 0 takes a free port\nerror: oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set\n',
    ],
  };
  it.each(Object.entries(mistakes))('refuses %s', async (_, [args, err]) => {
    expect(await run(...args)).toEqual({ status: 1, out: '', err });
  });

  it('stores its data in the user’s data directory, prints its address, and stops on a signal', async () => {
    const { text, terminal, server, ready, signal, isListening, isTidying, exits } = newTerminal();
    const status = apiserver(
      ['--secure-port=0', '--bind-address=127.0.0.1', '--tracing-config-file=x'],
      terminal,
      server,
    );
    await ready;
    const data = join(folder, 'coxswain', 'apiserver');
    expect(text.out).toMatch(
      new RegExp(`^API server is ready at https://127\\.0\\.0\\.1:\\d+, kubeconfig ${data}/admin\\.kubeconfig\n$`),
    );
    expect(text.err).toMatch(
      /^I\d{4} \d\d:\d\d:\d\d\.\d{6} +\d+ kube-apiserver\] "--tracing-config-file makes no difference/m,
    );
    expect((await readdir(data)).toSorted()).toEqual(['admin.kubeconfig', 'pki', 'store']);
    expect([isListening(), isTidying()]).toEqual([true, true]);
    signal();
    expect(await status).toBe(0);
    expect([isListening(), isTidying(), exits]).toEqual([false, false, []]);
  });

  it('ends at once on a second signal', async () => {
    const { terminal, server, ready, signal, exits } = newTerminal();
    const status = apiserver(['--memory', '--secure-port=0', '--bind-address=127.0.0.1'], terminal, server);
    await ready;
    signal();
    signal();
    expect(exits).toEqual([1]);
    await status;
  });

  it('explains an invalid certificate', async () => {
    const bad = join(folder, 'bad.crt');
    await writeFile(bad, 'nothing');
    const { status, err } = await run('--memory', `--tls-cert-file=${bad}`, `--tls-private-key-file=${bad}`);
    expect(status).toBe(1);
    expect(err).toContain(`error: --tls-cert-file: ${bad}: `);
  });
});

describe('cox apiserver as a process', () => {
  const children: ChildProcess[] = [];
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  function cox(...args: string[]) {
    const mainModule = new URL('main.ts', import.meta.url).href;
    const program = `
      const { main } = await import(${JSON.stringify(mainModule)});
      process.exitCode = await main(process.argv.slice(1), {
        out: (text) => process.stdout.write(text),
        err: (text) => process.stderr.write(text),
      });`;
    const child = spawn(
      process.execPath,
      ['--conditions=coxswain-source', '--import=tsx', '--input-type=module', '-e', program, '--', ...args],
      { cwd: fileURLToPath(new URL('..', import.meta.url)), stdio: ['ignore', 'pipe', 'pipe'] },
    );
    children.push(child);
    const text = { out: '', err: '' };
    child.stdout.on('data', (chunk: Buffer) => {
      text.out += chunk;
    });
    child.stderr.on('data', (chunk: Buffer) => {
      text.err += chunk;
    });
    const exited = once(child, 'close') as Promise<[code: number | null, signal: string | null]>;
    const ready = new Promise<void>((resolve, reject) => {
      child.stdout.on('data', () => text.out.includes('\n') && resolve());
      exited.then(() => reject(new Error(`it ended: ${text.err}`)));
    });
    ready.catch(() => {});
    return { child, text, exited, ready };
  }

  it('serves with the kubeconfig it wrote, locks its directory, and leaves nothing running', async () => {
    const args = ['apiserver', `--data-dir=${folder}`, '--secure-port=0', '--bind-address=127.0.0.1'];
    const first = cox(...args);
    await first.ready;
    expect(await get(await readFile(join(folder, 'admin.kubeconfig'), 'utf8'), '/api/v1/namespaces/default')).toBe(200);
    const second = cox(...args);
    expect(await second.exited).toEqual([1, null]);
    expect(second.text.err).toContain(
      `error: data directory ${join(folder, 'store')} is in use by process ${first.child.pid}; stop the server that uses it, or choose another with --data-dir\n`,
    );
    first.child.kill('SIGTERM');
    expect(await first.exited).toEqual([0, null]);
    expect(first.text.err).toMatch(/"stopped"\n$/);
  });
});

function get(kubeconfig: string, path: string): Promise<number> {
  const { clusters, users } = parseYaml(kubeconfig).value as {
    clusters: [{ cluster: Record<string, string> }];
    users: [{ user: Record<string, string> }];
  };
  const decoded = (text = ''): Buffer => Buffer.from(text, 'base64');
  const { server, 'certificate-authority-data': ca } = clusters[0].cluster;
  const { 'client-certificate-data': cert, 'client-key-data': key } = users[0].user;
  return new Promise((resolve, reject) => {
    const options = { ca: decoded(ca), cert: decoded(cert), key: decoded(key), agent: false };
    const outgoing = request(`${server}${path}`, options, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
    outgoing.on('error', reject).end();
  });
}
