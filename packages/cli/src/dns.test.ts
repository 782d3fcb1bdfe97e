import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dns } from './dns.ts';
import { quietProcess } from './server-process.test-data.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'cox-dns-'));
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
  const status = await dns(args, terminal, quietProcess);
  return { status, ...text };
}

describe('cox dns', () => {
  it('prints its flags', async () => {
    const { status, out } = await run('--help');
    expect(status).toBe(0);
    expect(out).toContain('cox dns [flags]');
    expect(out).toMatch(/ --conf string\n/);
  });

  it('reports invalid flags', async () => {
    const err = 'error: unknown flag: --foo; cox dns --help lists all flags\n';
    expect(await run('--foo')).toEqual({ status: 1, out: '', err });
    const problem = 'error: --config-map must be a namespace and a name, such as kube-system/coredns\n';
    expect(await run('--config-map=x')).toEqual({ status: 1, out: '', err: problem });
  });

  it('takes the flags of CoreDNS, and names what is wrong in a Corefile', async () => {
    const [file, kubeconfig] = [join(directory, 'Corefile'), join(directory, 'kubeconfig')];
    await writeFile(file, '.:53 {\n autopath\n}\n');
    await writeFile(
      kubeconfig,
      JSON.stringify({
        clusters: [{ name: 'c', cluster: { server: 'http://127.0.0.1:1' } }],
        contexts: [{ name: 'x', context: { cluster: 'c', user: '' } }],
        'current-context': 'x',
      }),
    );
    const { status, err } = await run('-conf', file, '-dns.port=5353', `--kubeconfig=${kubeconfig}`);
    expect(status).toBe(1);
    expect(err).toContain(`error: ${file}:2 - Error during parsing: Unknown directive 'autopath'\n`);
  });
});
