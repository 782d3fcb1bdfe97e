import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scheduler } from './scheduler.ts';
import { quietProcess } from './server-process.test-data.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'cox-scheduler-'));
});
afterAll(() => rm(directory, { recursive: true }));

async function run(...args: string[]): Promise<{ status: number; out: string; err: string }> {
  const text = { out: '', err: '' };
  const terminal = {
    out: (part: string) => {
      text.out += part;
    },
    err: (part: string) => {
      text.err += part;
    },
  };
  const status = await scheduler(args, terminal, quietProcess);
  return { status, ...text };
}

describe('cox scheduler', () => {
  it('prints its flags', async () => {
    const { status, out } = await run('--help');
    expect(status).toBe(0);
    expect(out).toContain('cox scheduler [flags]');
    expect(out).toMatch(/ --write-config-to string\n/);
  });

  it('prints its version', async () => {
    expect(await run('--version')).toEqual({ status: 0, out: 'Kubernetes v1.36.4\n', err: '' });
  });

  it('reports invalid flags', async () => {
    const err = 'error: unknown flag: --foo; cox scheduler --help lists all flags\n';
    expect(await run('--foo')).toEqual({ status: 1, out: '', err });
  });

  it('logs in the format of its flags', async () => {
    const file = join(directory, 'logged.yaml');
    const { err } = await run(`--write-config-to=${file}`, '--logging-format=json');
    expect(JSON.parse(err.split('\n')[0]!)).toMatchObject({
      logger: 'kube-scheduler',
      msg: 'Wrote configuration to file',
      v: 0,
      file,
    });
    expect(await run('--logging-format=json', '--vmodule=queue=4')).toEqual({
      status: 1,
      out: '',
      err: 'error: vmodule: Forbidden: Only supported for text log format\n',
    });
  });

  it('reports an invalid configuration', async () => {
    const file = join(directory, 'wrong.yaml');
    await writeFile(
      file,
      'apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nparallelism: 0\n',
    );
    const err = 'error: parallelism: Invalid value: 0: should be an integer value greater than zero\n';
    expect(await run(`--config=${file}`)).toEqual({ status: 1, out: '', err });
  });

  it('writes its configuration, and can read it', async () => {
    const [first, second] = [join(directory, 'first.yaml'), join(directory, 'second.yaml')];
    expect((await run(`--write-config-to=${first}`, '--leader-elect=false', '--kube-api-qps=7')).status).toBe(0);
    const written = await readFile(first, 'utf8');
    expect(written).toContain('  leaderElect: false\n');
    expect(written).toContain('  qps: 7\n');
    expect((await run(`--write-config-to=${second}`, `--config=${first}`)).status).toBe(0);
    expect(await readFile(second, 'utf8')).toBe(written);
  });

  it('reports a missing kubeconfig', async () => {
    const { status, err } = await run('--kubeconfig=/nowhere/kubeconfig');
    expect(status).toBe(1);
    expect(err).toContain('/nowhere/kubeconfig');
  });
});
