import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { RestConfig } from '../config/rest-config.ts';

/** A folder with these files, gone when the test is over. */
export async function tempDir(files: Readonly<Record<string, string>> = {}): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'kubeconfig-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, name)), { recursive: true });
    await writeFile(join(dir, name), text);
  }
  return dir;
}

/** A kubeconfig with the context `c` of cluster `k` and user `u`, and more lines in either. */
export const kubeconfigText = (cluster = '', user = '', server = 'https://a:6443'): string => `apiVersion: v1
kind: Config
current-context: c
clusters:
- name: k
  cluster:
    server: ${server}
    ${cluster.replaceAll('\n', '\n    ')}
users:
- name: u
  user:
    unknown-field: 1
    ${user.replaceAll('\n', '\n    ')}
contexts:
- name: c
  context: {cluster: k, user: u}
`;

/** Whom a config trusts at the moment. */
export async function authorityOf({ tls }: RestConfig): Promise<string | undefined> {
  return typeof tls?.ca === 'function' ? tls.ca() : tls?.ca;
}
