import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kubelet } from './kubelet.ts';
import { quietProcess } from './server-process.test-data.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'cox-kubelet-'));
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
  const status = await kubelet(args, terminal, quietProcess);
  return { status, ...text };
}

/** The error, without the lines of the log before it. */
async function errorOf(...args: string[]): Promise<string> {
  const { status, err } = await run(...args);
  expect(status).toBe(1);
  return err.slice(err.indexOf('error: '));
}

// This machine may have cgroup v1, and swap.
const anyMachine = ['--fail-cgroupv1=false', '--fail-swap-on=false'];

describe('cox kubelet', () => {
  it('prints its flags', async () => {
    const { status, out } = await run('--help');
    expect(status).toBe(0);
    expect(out).toContain('cox kubelet [flags]');
    expect(out).toMatch(/ --bootstrap-kubeconfig string\n/);
  });

  it('prints its version', async () => {
    expect(await run('--version')).toEqual({ status: 0, out: 'Kubernetes v1.36.4\n', err: '' });
  });

  it('reports invalid flags', async () => {
    expect(await errorOf('--foo')).toBe('error: unknown flag: --foo; cox kubelet --help lists all flags\n');
    expect(await errorOf('--lock-file=x')).toBe(
      'error: --lock-file: this kubelet does not have a lock file; leave the flag out\n',
    );
  });

  it('reports an invalid configuration', async () => {
    const file = join(directory, 'wrong.yaml');
    const head = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';
    await writeFile(file, `${head}maxPod: 5\n`);
    expect(await errorOf(`--config=${file}`)).toContain('strict decoding error: unknown field "maxPod"\n');
    await writeFile(file, `${head}maxPods: -5\nfailCgroupV1: false\n`);
    expect(await errorOf(`--config=${file}`)).toBe(
      'error: failed to validate kubelet configuration, error: invalid configuration: maxPods (--max-pods) -5 must not be a negative number\n',
    );
  });

  it('reports what is missing', async () => {
    expect(await errorOf(...anyMachine)).toBe(
      'error: there is no standalone mode; use --kubeconfig to name an API server\n',
    );
    expect(await errorOf(...anyMachine, '--kubeconfig=/nowhere/kubeconfig')).toContain('/nowhere/kubeconfig');
  });
});
