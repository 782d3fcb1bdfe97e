import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ClusterDirectory } from '../../../src/up/cluster-directory.ts';
import { findBinary } from '../binaries.ts';
import { CoxProcess } from '../cox-process.ts';
import { Shell } from '../shell.ts';

const elsewhere = `apiVersion: v1
kind: Config
current-context: work
clusters: [{name: work, cluster: {server: 'https://work.example.com'}}]
users: [{name: work, user: {token: secret}}]
contexts: [{name: work, context: {cluster: work, user: work}}]
`;

/* A user's named clusters in the background. */

describe.skipIf(!findBinary('kubectl'))('clusters with names', () => {
  let home: string;
  let kubeconfig: string;
  let shell: Shell;
  const env = () => ({ PATH: process.env.PATH, HOME: home, KUBECONFIG: kubeconfig });

  /** Runs a command to its end. */
  async function cox(...args: string[]): Promise<{ status: number | null; out: string; err: string }> {
    const run = new CoxProcess(args, { env: env() });
    const status = await run.ended;
    return { status, out: run.out, err: run.err };
  }
  /** Starts a cluster in the background, and returns its process id. */
  async function upDetached(...args: string[]): Promise<number> {
    const { status, out, err } = await cox('up', '--detach', '--memory', '--nodes=0', ...args);
    expect({ status, err }).toMatchObject({ status: 0 });
    expect(out).toMatch(/^cluster is ready at https:\/\/127\.0\.0\.1:\d+, context cox\S* in /);
    return Number(/^process (\d+), log /.exec(err)?.[1]);
  }
  const kubectl = (command: string) => shell.run(`kubectl --kubeconfig=${kubeconfig} ${command}`);
  const current = () => kubectl('config current-context');
  const contexts = () => kubectl('config get-contexts -o name');

  beforeAll(() => {
    home = mkdtempSync(join(tmpdir(), 'cox-e2e-names-'));
    kubeconfig = join(home, 'kubeconfig');
    writeFileSync(kubeconfig, elsewhere);
    shell = new Shell(kubeconfig);
  });
  afterAll(async () => {
    for (const name of await ClusterDirectory.names(env())) {
      const pid = await new ClusterDirectory(ClusterDirectory.pathOf(name, env())).holder();
      if (pid !== undefined) process.kill(pid, 'SIGKILL');
    }
    shell.close();
    rmSync(home, { recursive: true });
  });

  it('run side by side in the background, each with its own context', async () => {
    const first = await upDetached('--port=0');
    const second = await upDetached(
      '--port=0',
      '--name=dev',
      '--feature-gates=AllAlpha=true',
      '--runtime-config=api/all=true',
    );
    expect(await contexts()).toBe('cox\ncox-dev\nwork');
    expect(await current()).toBe('cox-dev');
    expect(await kubectl('--context=cox get --raw /readyz')).toBe('ok');
    expect(await kubectl('get --raw /readyz')).toBe('ok');
    // The API server got the flag.
    expect(await kubectl('api-versions')).toContain('v1alpha1');
    expect(await kubectl('--context=cox api-versions')).not.toContain('v1alpha1');
    const { out } = await cox('clusters', '-o', 'json');
    expect(JSON.parse(out).clusters).toMatchObject([
      { name: 'cox', context: 'cox', running: true, pid: first },
      { name: 'dev', context: 'cox-dev', running: true, pid: second },
    ]);
    expect((await cox('version', '--name=dev')).out).toContain('Server Version: v1.36.4\n');
    expect((await cox('__complete', 'down', '--name', '')).out).toBe('cox\ndev\n:4\n');
    const status = JSON.parse((await cox('status', '--name=dev', '-o', 'json')).out);
    expect(status).toMatchObject({ name: 'dev', running: true, pid: second, nodes: { total: 0, ready: 0 }, pods: {} });
  }, 120_000);

  it('are not started twice', async () => {
    const { status, out, err } = await cox('up', '-d', '--name=dev');
    expect(status).toBe(0);
    expect(out).toMatch(/^cluster is ready at .*, context cox-dev in /);
    expect(err).toMatch(
      /^the cluster of \S+\/clusters\/dev runs already\nprocess \d+; cox down --name dev stops it\n$/,
    );
  });

  it('restore the previous context, in any order of stopping, and after they were killed', async () => {
    const { pid: second } = JSON.parse((await cox('status', '--name=dev', '-o', 'json')).out);
    expect((await cox('down')).out).toMatch(/^process \d+ has ended\n$/);
    expect(await contexts()).toBe('cox-dev\nwork');
    expect(await current()).toBe('cox-dev');
    process.kill(second, 'SIGKILL');
    await expect.poll(async () => (await cox('status', '--name=dev')).status, { timeout: 30_000 }).toBe(1);
    expect(await current()).toBe('cox-dev');
    expect((await cox('down', '--name=dev')).out).toContain('no cluster runs in ');
    expect(await contexts()).toBe('work');
    expect(await current()).toBe('work');
    expect(readFileSync(kubeconfig, 'utf8')).toContain('token: secret');
  }, 120_000);

  it('log why they cannot start', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const address = taken.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const { status, out, err } = await cox('up', '--detach', '--memory', '--name=late', `--port=${port}`);
    await new Promise((resolve) => taken.close(resolve));
    expect({ status, out }).toEqual({ status: 1, out: '' });
    expect(err).toMatch(/^starting a cluster in memory\nerror: listen EADDRINUSE: /);
    expect(await current()).toBe('work');
  }, 60_000);
});
