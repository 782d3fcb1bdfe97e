import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBinary } from '../binaries.ts';
import { CoxProcess } from '../cox-process.ts';
import { Shell } from '../shell.ts';

const elsewhere = `apiVersion: v1
kind: Config
current-context: work
clusters: [{name: work, cluster: {server: 'https://work.example.com'}}]
users: [{name: work, user: {token: secret}}]
contexts: [{name: work, context: {cluster: work, user: work, namespace: team}}]
`;

/* A user's cluster over some time, in its own home directory. */

describe.skipIf(!findBinary('kubectl'))('cox up', () => {
  let home: string;
  let kubeconfig: string;
  let data: string;
  let cluster: CoxProcess;
  let shell: Shell;
  const cox = (...args: string[]): CoxProcess =>
    new CoxProcess(args, { env: { PATH: process.env.PATH, HOME: home, KUBECONFIG: kubeconfig } });
  /** Starts the cluster and resolves when it is ready. kubectl uses the user's kubeconfig. */
  async function up(): Promise<void> {
    cluster = cox('up', '--port=0');
    await cluster.says(/is ready at .*\n/);
    shell?.close();
    shell = new Shell(kubeconfig);
  }
  const kubectl = (command: string) => shell.run(`kubectl ${command}`);
  const contexts = () => kubectl(`--kubeconfig=${kubeconfig} config get-contexts -o name`);

  beforeAll(() => {
    home = mkdtempSync(join(tmpdir(), 'cox-e2e-home-'));
    kubeconfig = join(home, 'kubeconfig');
    data = join(home, '.local', 'share', 'coxswain', 'cluster');
    writeFileSync(kubeconfig, elsewhere);
  });
  afterAll(async () => {
    shell?.close();
    await cluster?.stop('SIGKILL');
    rmSync(home, { recursive: true });
  }, 60_000);

  it('prints its progress, and one line when it is ready', async () => {
    await up();
    expect(cluster.out).toMatch(/^cluster is ready at https:\/\/127\.0\.0\.1:\d+, context cox in \/\S+\/kubeconfig\n$/);
    expect(cluster.err).toBe(
      `starting the cluster of ${data}\nthe API server answers; starting controllers, scheduler and 2 hollow nodes\n`,
    );
    await kubectl('create deployment web --image=web:1 --replicas=3');
    expect(await kubectl('rollout status deployment/web')).toContain('successfully rolled out');
  }, 120_000);

  it('adds a context to the existing ones, and makes it the current one', async () => {
    expect(await contexts()).toBe('cox\nwork');
    expect(await kubectl('config current-context')).toBe('cox');
    expect(readFileSync(kubeconfig, 'utf8')).toContain('namespace: team');
    expect(statSync(join(data, 'admin.kubeconfig')).mode & 0o777).toBe(0o600);
    expect(statSync(data).mode & 0o777).toBe(0o700);
  });

  it('prints its status', async () => {
    const status = cox('status');
    expect(await status.ended).toBe(0);
    expect(status.out.replaceAll(/\d{4}-\S+Z/g, '<time>').replace(/:\d+$/m, ':<port>')).toBe(
      [
        `cluster   running since <time>, process ${cluster.pid}`,
        'address   https://127.0.0.1:<port>',
        `data      ${data}`,
        'nodes     2 of 2 Ready',
        'pods      3 Running',
        '',
      ].join('\n'),
    );
  });

  it('refuses a second one in the same directory', async () => {
    for (const flags of [['--port=0'], ['--port=0', '--memory']]) {
      const second = cox('up', ...flags);
      expect(await second.ended).toBe(1);
      expect(second.err).toBe(
        `error: process ${cluster.pid} runs a cluster in ${data} already; cox down stops it, and --data-dir names another directory\n`,
      );
    }
    // The cluster and its context are unaffected.
    expect(await kubectl('get --raw /readyz')).toBe('ok');
    expect(await contexts()).toBe('cox\nwork');
  });

  it('stops gracefully on Ctrl-C, and continues from its data', async () => {
    const before = await kubectl(uids);
    expect(before).toMatch(/^(\w{32} ?){3}$/);
    const port = portOf(cluster);
    expect(await cluster.stop('SIGINT')).toBe(0);
    expect(cluster.err).toMatch(/\nstopping; another signal ends the process at once\nstopped\n$/);
    expect(await refuses(Number(port))).toBe(true);
    const status = cox('status');
    expect(await status.ended).toBe(1);
    expect(status.out).toBe(`no cluster runs in ${data}; cox up starts one\n`);

    await up();
    await kubectl('wait deployment/web --for=jsonpath={.status.readyReplicas}=3');
    expect(await kubectl(uids)).toBe(before);
    expect(await kubectl(`get pods -o jsonpath='{.items[*].status.phase}'`)).toBe('Running Running Running');
    expect(await kubectl('get nodes -o name')).toBe('node/hollow-0\nnode/hollow-1');
  }, 120_000);

  it('continues from its data after it was killed, too', async () => {
    const before = await kubectl(uids);
    await cluster.stop('SIGKILL');
    await up();
    expect(await kubectl(uids)).toBe(before);
    // The controllers work: deleted pods are replaced, once.
    await kubectl('delete pods --all --wait=false');
    await expect
      .poll(async () => (await kubectl(uids)).split(' ').filter((uid) => !before.includes(uid)).length, {
        timeout: 30_000,
      })
      .toBe(3);
    await kubectl('rollout status deployment/web');
    // The deleted pods take a moment to disappear.
    await expect
      .poll(async () => (await kubectl('get pods --no-headers')).split('\n').length, { timeout: 30_000 })
      .toBe(3);
  }, 120_000);

  it('is stopped by cox down, and deleted by cox reset', async () => {
    const down = cox('down');
    expect(await down.ended).toBe(0);
    expect(down.out).toBe(`process ${cluster.pid} has ended\n`);
    expect(await cluster.ended).toBe(0);
    const again = cox('down');
    expect(await again.ended).toBe(0);
    expect(again.out).toBe(`no cluster runs in ${data}\n`);

    writeFileSync(join(data, 'letter.txt'), 'not yours');
    const asked = cox('reset');
    expect(await asked.ended).toBe(1);
    expect(asked.err).toBe('nothing was deleted; --yes deletes without asking\n');
    expect(existsSync(join(data, 'store'))).toBe(true);

    const reset = cox('reset', '-y');
    expect(await reset.ended).toBe(0);
    expect(reset.out).toBe(`deleted ${data}\n`);
    expect(readdirSync(data)).toEqual(['letter.txt']);
    expect(await contexts()).toBe('work');
    expect(readFileSync(kubeconfig, 'utf8')).toContain('token: secret');
  });

  it('stops gracefully during its start, too', async () => {
    const begun = cox('up', '--memory', '--port=0');
    await begun.says(/starting a cluster in memory/);
    expect(await begun.stop('SIGINT')).toBe(0);
    expect(begun.out).toBe('');
    expect(await contexts()).toBe('work');
  });

  it('leaves nothing when it was in memory, and does not affect another cluster', async () => {
    const other = join(home, 'other');
    const [first, second] = [data, other].map((directory) =>
      cox('up', '--memory', '--port=0', '--nodes=1', `--data-dir=${directory}`),
    );
    await first!.says(/is ready at/);
    await second!.says(/is ready at/);
    // The cluster started last has the context, and keeps it when the other stops.
    expect(await contexts()).toBe('cox\nwork');
    const server = `--kubeconfig=${kubeconfig} config view -o jsonpath='{.clusters[?(@.name=="cox")].cluster.server}'`;
    const kept = (await shell.run(`kubectl ${server} | cut -d: -f3`)) === portOf(first!) ? first! : second!;
    const goes = kept === first ? second! : first!;
    expect(await goes.stop('SIGINT')).toBe(0);
    expect(await contexts()).toBe('cox\nwork');
    expect(await kept.stop('SIGINT')).toBe(0);
    expect(await contexts()).toBe('work');
    expect(readdirSync(other)).toEqual(['lock']);
    const reset = cox('reset', `--data-dir=${other}`);
    expect(await reset.ended).toBe(0);
    expect(reset.out).toBe(`there is no cluster in ${other}\n`);
  }, 120_000);
});

/** Without dashes, because `Shell` replaces all uids by the same text. */
const uids = `get pods --no-headers -o custom-columns=:.metadata.uid | tr -d - | sort | paste -sd' '`;

const portOf = ({ out }: CoxProcess): string => new URL(/https:\S+\d/.exec(out)?.[0] ?? '').port;

const refuses = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(false);
    });
    socket.on('error', () => resolve(true));
  });
