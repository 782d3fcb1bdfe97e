import { describe, expect, it } from 'vitest';
import { controllerManager } from './controller-manager.ts';
import { quietProcess } from './server-process.test-data.ts';

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
  const status = await controllerManager(args, terminal, quietProcess);
  return { status, ...text };
}

describe('cox controller-manager', () => {
  it('prints its flags and controllers', async () => {
    const { status, out } = await run('--help');
    expect(status).toBe(0);
    expect(out).toContain('cox controller-manager [flags]');
    expect(out).toMatch(/ --kube-api-qps float\n/);
  });

  it('prints its version', async () => {
    expect(await run('--version')).toEqual({ status: 0, out: 'Kubernetes v1.36.4\n', err: '' });
  });

  it.each<[string[], string]>([
    [['--foo'], 'error: unknown flag: --foo; cox controller-manager --help lists all flags\n'],
    [['--controllers=nobody'], 'error: "nobody" is not in the list of known controllers\n'],
  ])('reports the problem with %j', async (args, err) => {
    expect(await run(...args)).toEqual({ status: 1, out: '', err });
  });

  it('reports a missing kubeconfig', async () => {
    const { status, err } = await run('--kubeconfig=/nowhere/kubeconfig');
    expect(status).toBe(1);
    expect(err).toContain('/nowhere/kubeconfig');
  });
});
