import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { clusterCommand } from './commands.ts';

let home: string;
let data: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'cox-commands-'));
  data = join(home, '.local', 'share', 'coxswain', 'cluster');
});
afterEach(() => rm(home, { recursive: true }));

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
  const status = await clusterCommand(args, terminal, {
    env: { HOME: home },
    onSignal: () => () => {},
    tidyAtRest: () => () => {},
    exit: () => {},
    confirm: async (question) => {
      if (answer === undefined) throw new Error(`nobody was to be asked: ${question}`);
      text.err += question;
      return answer;
    },
  });
  return { status, ...text };
}

describe('flags', () => {
  it.each([
    ['--port=70000', `option '--port <port>' argument '70000' is invalid. a whole number from 0 to 65535 is needed.`],
    ['--port=http', `option '--port <port>' argument 'http' is invalid. a whole number from 0 to 65535 is needed.`],
    ['--nodes=-1', `option '--nodes <count>' argument '-1' is invalid. a whole number from 0 to 5000 is needed.`],
    ['--nodes=1.5', `option '--nodes <count>' argument '1.5' is invalid. a whole number from 0 to 5000 is needed.`],
    ['--node=3', `unknown option '--node=3'\n(Did you mean --nodes?)`],
    ['--kubeconfig', `option '--kubeconfig <file>' argument missing`],
    ['now', `too many arguments for 'up'. Expected 0 arguments but got 1.`],
  ])('cox up %s', async (flag, problem) => {
    expect(await run(['up', flag])).toEqual({ status: 1, out: '', err: `error: ${problem}\n` });
    expect(await readdir(home)).toEqual([]);
  });

  it('are told by --help', async () => {
    const { status, out } = await run(['up', '--help']);
    expect(status).toBe(0);
    for (const flag of ['--data-dir', '--port', '--kubeconfig', '--nodes', '--memory']) expect(out).toContain(flag);
    expect(out.replaceAll(/\s+/g, ' ')).toContain(`where the cluster is (default: "${data}")`);
  });
});

describe('where there is no cluster', () => {
  it.each([
    ['status', 1, () => `no cluster runs in ${data}; cox up starts one\n`],
    ['down', 0, () => `no cluster runs in ${data}\n`],
    ['reset', 0, () => `there is no cluster in ${data}\n`],
  ])('cox %s says so', async (command, status, out) => {
    expect(await run([command])).toEqual({ status, out: out(), err: '' });
    expect(await readdir(home)).toEqual([]);
  });

  it('cox up says why it cannot make one', async () => {
    const file = join(home, 'file');
    await writeFile(file, '');
    expect(await run(['up', `--data-dir=${file}`])).toEqual({
      status: 1,
      out: '',
      err: `error: ${file} is not a directory\n`,
    });
  });
});

it('cox up says that its port is taken, and leaves nothing behind', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as AddressInfo;
  const { status, out, err } = await run(['up', '--memory', `--port=${port}`]);
  await new Promise((resolve) => other.close(resolve));
  expect({ status, out }).toEqual({ status: 1, out: '' });
  expect(err).toBe(
    `starting a cluster that keeps nothing\nerror: listen EADDRINUSE: address already in use 127.0.0.1:${port}; ` +
      'stop what listens there, or choose another port with --port (0 takes a free one)\n',
  );
  expect(await readdir(data)).toEqual(['lock']);
});

it('cox up says what is wrong with the kubeconfig, once, and leaves it as it was', async () => {
  const file = join(home, 'kubeconfig');
  await writeFile(file, '{{{');
  const { status, out, err } = await run(['up', '--memory', '--port=0', '--nodes=0', `--kubeconfig=${file}`]);
  expect({ status, out }).toEqual({ status: 1, out: '' });
  // Before it starts anything.
  expect(err).toMatch(/^error: error loading config file ".*kubeconfig": yaml: line 1: .*\n$/);
  expect(await readFile(file, 'utf8')).toBe('{{{');
  expect(await readdir(data)).toEqual(['lock']);
});

it.runIf(process.platform === 'linux').each(['/sys/cox', '/proc/cox'])(
  'cox up says what to do where nothing can be written: %s',
  async (directory) => {
    const { status, out, err } = await run(['up', `--data-dir=${directory}`]);
    expect({ status, out }).toEqual({ status: 1, out: '' });
    expect(err).toContain(` mkdir '${directory}`);
    expect(err).toMatch(/^error: E.*choose a directory of your own with --data-dir, or a file with --kubeconfig\n$/);
  },
);

it('cox up says what to do with a store that is damaged, and leaves it as it is', async () => {
  await mkdir(join(data, 'store'), { recursive: true });
  const identity = '{"format":"coxswain-store","version":1,"state":"ready"}';
  await writeFile(join(data, 'store', 'coxswain.json'), identity);
  await writeFile(join(data, 'store', 'store.mdb'), '');
  const { status, out, err } = await run(['up', '--port=0']);
  expect({ status, out }).toEqual({ status: 1, out: '' });
  expect(err).toContain(
    `error: data directory ${join(data, 'store')} is damaged: store.mdb is empty; cox reset deletes the cluster with all that is in it`,
  );
  expect(await readFile(join(data, 'store', 'coxswain.json'), 'utf8')).toBe(identity);
});

describe('cox reset', () => {
  beforeEach(async () => {
    await mkdir(join(data, 'store'), { recursive: true });
    await writeFile(join(data, 'admin.kubeconfig'), 'secret');
    await writeFile(join(data, 'store', 'store.mdb'), 'all of it');
  });
  const question = () => `delete the cluster in ${data}, with all that is in it? [y/N] `;

  it('deletes nothing unless told to', async () => {
    const err = `${question()}nothing was deleted; --yes deletes without asking\n`;
    expect(await run(['reset'], false)).toEqual({ status: 1, out: '', err });
    expect((await readdir(data)).sort()).toEqual(['admin.kubeconfig', 'store']);
  });

  it('deletes everything when told to', async () => {
    expect(await run(['reset'], true)).toEqual({ status: 0, out: `deleted ${data}\n`, err: question() });
    expect(await readdir(join(home, '.local', 'share', 'coxswain'))).toEqual([]);
  });

  it('does not ask with --yes, and leaves what is not the cluster’s', async () => {
    await writeFile(join(data, 'letter.txt'), '');
    expect(await run(['reset', '-y'])).toEqual({ status: 0, out: `deleted ${data}\n`, err: '' });
    expect(await readdir(data)).toEqual(['letter.txt']);
  });
});
