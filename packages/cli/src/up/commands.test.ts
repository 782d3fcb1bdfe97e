import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { modifyKubeConfig } from '@coxswain/client/kubeconfig';
import { runProgram } from '@coxswain/component-base/cli';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { coxProgram } from '../program.ts';
import { quietProcess } from '../server-process.test-data.ts';
import { ClusterDirectory } from './cluster-directory.ts';
import { addContext } from './user-kubeconfig.ts';

let home: string;
let data: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'cox-commands-'));
  data = join(home, '.local', 'share', 'coxswain', 'cluster');
});
afterEach(() => rm(home, { recursive: true }));
const named = (): string => join(home, '.local', 'share', 'coxswain', 'clusters', 'dev');

async function run(args: readonly string[], answer?: boolean): Promise<{ status: number; out: string; err: string }> {
  const text = { out: '', err: '' };
  const terminal = {
    out: (part: string) => {
      text.out += part;
    },
    err: (part: string) => {
      text.err += part;
    },
  };
  const process = {
    ...quietProcess,
    env: { HOME: home, COX_RUNTIME: 'hollow' },
    confirm: async (question: string) => {
      if (answer === undefined) throw new Error(`unexpected question: ${question}`);
      text.err += question;
      return answer;
    },
  };
  const status = await runProgram(coxProgram, args, { terminal, process });
  return { status, ...text };
}

describe('flags', () => {
  const usage = "See 'cox up --help' for usage.";
  it.each([
    ['--port=70000', 'invalid argument "70000" for "--port" flag: must be between 0 and 65535, inclusive'],
    ['--port=http', 'invalid argument "http" for "--port" flag: strconv.ParseInt: parsing "http": invalid syntax'],
    ['--nodes=-1', 'invalid argument "-1" for "--nodes" flag: must be between 0 and 5000, inclusive'],
    ['--nodes=1.5', 'invalid argument "1.5" for "--nodes" flag: strconv.ParseInt: parsing "1.5": invalid syntax'],
    ['--node=3', 'unknown flag: --node\nDid you mean --nodes?'],
    ['--nonsense=3', 'unknown flag: --nonsense'],
    ['--kubeconfig', 'flag needs an argument: --kubeconfig'],
    ['now', 'unknown command "now" for "cox up"'],
  ])('cox up %s', async (flag, problem) => {
    expect(await run(['up', flag])).toEqual({ status: 1, out: '', err: `error: ${problem}\n${usage}\n` });
    expect(await readdir(home)).toEqual([]);
  });

  it.each([
    ['--secure-port=1', '--secure-port: cox up does not have that flag; use --port'],
    [
      '--etcd-servers=http://x',
      '--etcd-servers: cox up does not have that flag; --data-dir and --memory configure the storage',
    ],
    [
      '--egress-selector-config-file=x',
      '--egress-selector-config-file: cox up does not have an egress selector; leave the flag out',
    ],
    [
      '--name=Dev!',
      expect.stringMatching(/^"Dev!" is not a valid cluster name: a lowercase RFC 1123 label must consist of/),
    ],
  ])('cox up %s: flags that cannot be used', async (flag, problem) => {
    const { err, ...rest } = await run(['up', flag]);
    expect({ ...rest, problem: err.slice('error: '.length, -1) }).toEqual({ status: 1, out: '', problem });
    expect(await readdir(home)).toEqual([]);
  });

  it('of the API server that are invalid are errors of cox up, one per line', async () => {
    const { status, err } = await run([
      'up',
      '--memory',
      '--port=0',
      '--enable-admission-plugins=Nope',
      '--feature-gates=Nope=true',
    ]);
    expect(status).toBe(1);
    expect(await readdir(home)).toEqual([]);
    expect(err).toMatch(/^error: enable-admission-plugins plugin "Nope" is unknown$/m);
    expect(err).toMatch(/^error: .*unrecognized feature gate: Nope/m);
  });

  it.each([
    ['up', '--help'],
    ['help', 'up'],
  ])('are listed by cox %s %s', async (...args) => {
    const { status, out } = await run(args);
    expect(status).toBe(0);
    for (const flag of [
      '--name',
      '--data-dir',
      '--port',
      '--kubeconfig',
      '--nodes',
      '--memory',
      '--detach',
      '--audit-policy-file',
    ])
      expect(out).toContain(`    ${flag === '--detach' ? '-d, ' : ''}${flag}`);
    expect(out).not.toContain('--secure-port');
    expect(out).toContain("--data-dir='':\n\tDirectory of the cluster. Default: cluster in the data of this user");
    expect(out).toContain('Usage:\n  cox up [flags] [options]\n');
  });
});

describe('where there is no cluster', () => {
  it.each([
    ['status', 1, () => `no cluster runs in ${data}; cox up starts one\n`],
    ['down', 0, () => `no cluster runs in ${data}\n`],
    ['reset', 0, () => `there is no cluster in ${data}\n`],
  ])('cox %s reports it', async (command, status, out) => {
    expect(await run([command])).toEqual({ status, out: out(), err: '' });
    expect(await readdir(home)).toEqual([]);
  });

  it.each([
    ['status', 1, () => `no cluster runs in ${named()}; cox up --name dev starts one\n`],
    ['down', 0, () => `no cluster runs in ${named()}\n`],
    ['reset', 0, () => `there is no cluster in ${named()}\n`],
  ])('of that name cox %s reports it', async (command, status, out) => {
    expect(await run([command, '--name=dev'])).toEqual({ status, out: out(), err: '' });
  });

  it('cox status reports it in JSON, and cox clusters lists none', async () => {
    const { status, out } = await run(['status', '-o', 'json']);
    expect(status).toBe(1);
    expect(JSON.parse(out)).toEqual({ name: 'cox', context: 'cox', dataDir: data, running: false });
    expect(await run(['clusters'])).toEqual({ status: 0, out: '', err: 'there are no clusters; cox up starts one\n' });
  });

  it('cox up reports why it cannot create one', async () => {
    const file = join(home, 'file');
    await writeFile(file, '');
    expect(await run(['up', `--data-dir=${file}`])).toEqual({
      status: 1,
      out: '',
      err: `error: ${file} is not a directory\n`,
    });
  });
});

it('cox up reports that its port is taken, and leaves nothing behind', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as AddressInfo;
  const { status, out, err } = await run(['up', '--memory', `--port=${port}`]);
  await new Promise((resolve) => other.close(resolve));
  expect({ status, out }).toEqual({ status: 1, out: '' });
  expect(err).toBe(
    `starting a cluster in memory\nerror: listen EADDRINUSE: address already in use 127.0.0.1:${port}; ` +
      'stop the program that listens there, or choose another port with --port (0 selects a free one)\n',
  );
  expect(await readdir(data)).toEqual(['lock']);
});

it('cox up reports an invalid kubeconfig, once, and leaves it unchanged', async () => {
  const file = join(home, 'kubeconfig');
  await writeFile(file, '{{{');
  const { status, out, err } = await run(['up', '--memory', '--port=0', '--nodes=0', `--kubeconfig=${file}`]);
  expect({ status, out }).toEqual({ status: 1, out: '' });
  // The check happens before anything is started.
  expect(err).toMatch(/^error: error loading config file ".*kubeconfig": yaml: line 1: .*\n$/);
  expect(await readFile(file, 'utf8')).toBe('{{{');
  expect(await readdir(data)).toEqual(['lock']);
});

it.runIf(process.platform === 'linux').each(['/sys/cox', '/proc/cox'])(
  'cox up suggests another directory where nothing can be written: %s',
  async (directory) => {
    const { status, out, err } = await run(['up', `--data-dir=${directory}`]);
    expect({ status, out }).toEqual({ status: 1, out: '' });
    expect(err).toContain(` mkdir '${directory}`);
    expect(err).toMatch(/^error: E.*choose a directory of your own with --data-dir, or a file with --kubeconfig\n$/);
  },
);

it.runIf(process.platform === 'linux')('cox up reports it where no kubeconfig can be written', async () => {
  const { status, out, err } = await run(['up', '--memory', '--port=0', '--kubeconfig=/proc/cox/config']);
  expect({ status, out }).toEqual({ status: 1, out: '' });
  expect(err).toMatch(/^error: mkdir \/proc\/cox: no such file or directory.*, or a file with --kubeconfig\n$/);
});

it('cox up suggests cox reset for a damaged store, and leaves it unchanged', async () => {
  await mkdir(join(data, 'store'), { recursive: true });
  const identity = '{"format":"coxswain-store","version":1,"state":"ready"}';
  await writeFile(join(data, 'store', 'coxswain.json'), identity);
  await writeFile(join(data, 'store', 'store.mdb'), '');
  const { status, out, err } = await run(['up', '--port=0']);
  expect({ status, out }).toEqual({ status: 1, out: '' });
  expect(err).toContain(
    `error: data directory ${join(data, 'store')} is damaged: store.mdb is empty; cox reset deletes the cluster with all its data`,
  );
  expect(await readFile(join(data, 'store', 'coxswain.json'), 'utf8')).toBe(identity);
});

describe('cox reset', () => {
  beforeEach(async () => {
    await mkdir(join(data, 'store'), { recursive: true });
    await writeFile(join(data, 'admin.kubeconfig'), 'secret');
    await writeFile(join(data, 'store', 'store.mdb'), 'all of it');
  });
  const question = () => `delete the cluster in ${data}, with all its data? [y/N] `;

  it('deletes nothing without confirmation', async () => {
    const err = `${question()}nothing was deleted; --yes deletes without asking\n`;
    expect(await run(['reset'], false)).toEqual({ status: 1, out: '', err });
    expect((await readdir(data)).sort()).toEqual(['admin.kubeconfig', 'store']);
  });

  it('deletes everything after confirmation', async () => {
    expect(await run(['reset'], true)).toEqual({ status: 0, out: `deleted ${data}\n`, err: question() });
    expect(await readdir(join(home, '.local', 'share', 'coxswain'))).toEqual([]);
  });

  it.each([
    ['cluster.json', 'cut of', 'of the cluster', () => join(data, 'cluster.json')],
    ['admin.kubeconfig', '{{{', 'cox', () => join(home, 'kubeconfig')],
  ])(
    'deletes everything, and reports which context may remain, when %s is damaged',
    async (name, text, context, file) => {
      const kubeconfig = join(home, 'kubeconfig');
      const state = { url: 'https://127.0.0.1:1', memory: false, startedAt: '2026-01-01T00:00:00Z', kubeconfig };
      await writeFile(join(data, 'cluster.json'), JSON.stringify(state));
      await writeFile(join(data, name), text);
      await writeFile(kubeconfig, 'current-context: mine');
      const { status, err } = await run(['reset', '-y']);
      expect(status).toBe(1);
      expect(err).toContain(
        `error: ${data} was deleted, but the context ${context} may still be in a kubeconfig: ${file()} could not be read or changed`,
      );
      expect(await readdir(join(home, '.local', 'share', 'coxswain'))).toEqual([]);
    },
  );

  it('does not ask with --yes, and keeps files that are not the cluster’s', async () => {
    await writeFile(join(data, 'letter.txt'), '');
    expect(await run(['reset', '-y'])).toEqual({ status: 0, out: `deleted ${data}\n`, err: '' });
    expect(await readdir(data)).toEqual(['letter.txt']);
  });
});

describe('where a cluster in memory was killed', () => {
  const admin = `apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: 'https://127.0.0.1:1', certificate-authority-data: Y2E=}}]
users: [{name: u, user: {client-certificate-data: Y2E=}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
`;

  it('cox down restores the previous context, and removes the cluster’s context', async () => {
    const kubeconfig = join(home, 'kubeconfig');
    const work = { name: 'work', context: { cluster: 'work', user: 'me' } };
    await modifyKubeConfig(
      (config) => {
        config.contexts.set('work', work.context);
        config.currentContext = 'work';
      },
      { path: kubeconfig },
    );
    const before = await readFile(kubeconfig, 'utf8');
    await addContext({ name: 'cox-dev', adminKubeconfig: admin }, { path: kubeconfig, env: {} });
    const state = {
      name: 'dev',
      url: 'https://127.0.0.1:1',
      pid: 1,
      memory: true,
      startedAt: '',
      kubeconfig,
      context: 'cox-dev',
    };
    await new ClusterDirectory(named()).write(state, admin);
    expect(await run(['down', '--name=dev'])).toEqual({ status: 0, out: `no cluster runs in ${named()}\n`, err: '' });
    expect(await readFile(kubeconfig, 'utf8')).toBe(before);
    expect(await readdir(named())).toEqual(['lock']);
  });
});
