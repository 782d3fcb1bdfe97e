import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { RestConfig } from '../config/rest-config.ts';

/** Creates a directory with these files, removed at the end of the test. */
export async function tempDir(files: Readonly<Record<string, string>> = {}): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'kubeconfig-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, name)), { recursive: true });
    await writeFile(join(dir, name), text);
  }
  return dir;
}

/** A kubeconfig with the context `c` of cluster `k` and user `u`, and additional lines in cluster and user. */
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

/** The config's current CA. */
export async function authorityOf({ tls }: RestConfig): Promise<string | undefined> {
  return typeof tls?.ca === 'function' ? tls.ca() : tls?.ca;
}
