import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseYaml } from '@coxswain/apimachinery';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { formatAdminKubeconfig, writeAdminKubeconfig } from './kubeconfig.ts';

const config = {
  server: 'https://127.0.0.1:6443',
  certificateAuthority: 'ca',
  clientCertificate: 'crt',
  clientKey: 'key',
};

describe('the admin kubeconfig', () => {
  let directory: string;
  let path: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kubeconfig-'));
    path = join(directory, 'admin.conf');
  });
  afterEach(() => rm(directory, { recursive: true }));

  it('embeds the certificates, and uses the names of kubeadm', async () => {
    expect(parseYaml(await formatAdminKubeconfig(config)).value).toEqual({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        { name: 'kubernetes', cluster: { server: 'https://127.0.0.1:6443', 'certificate-authority-data': 'Y2E=' } },
      ],
      users: [{ name: 'kubernetes-admin', user: { 'client-certificate-data': 'Y3J0', 'client-key-data': 'a2V5' } }],
      contexts: [{ name: 'kubernetes-admin@kubernetes', context: { cluster: 'kubernetes', user: 'kubernetes-admin' } }],
      'current-context': 'kubernetes-admin@kubernetes',
    });
  });

  it('has mode 0600, and is written again only when it changed', async () => {
    await writeAdminKubeconfig(path, config);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const { ino } = await stat(path);
    await writeAdminKubeconfig(path, config);
    expect((await stat(path)).ino).toBe(ino);
    const changed = { ...config, server: 'https://127.0.0.1:7443' };
    await writeAdminKubeconfig(path, changed);
    expect(await readFile(path, 'utf8')).toBe(await formatAdminKubeconfig(changed));
    expect(await readdir(directory)).toEqual(['admin.conf']);
  });

  it.each([
    [
      'with other clusters',
      JSON.stringify({ contexts: [{ name: 'work', context: {} }] }),
      'not overwriting a kubeconfig with other contexts; specify another file',
    ],
    [
      'that is not a kubeconfig',
      'hello',
      'not overwriting a file that is not a valid kubeconfig; remove it, or specify another file',
    ],
    [
      'that cannot be parsed',
      '{',
      'not overwriting a file that is not a valid kubeconfig; remove it, or specify another file',
    ],
  ])('does not replace a file %s', async (_, text, problem) => {
    await writeFile(path, text);
    await expect(writeAdminKubeconfig(path, config)).rejects.toThrow(`${path}: ${problem}`);
    expect(await readFile(path, 'utf8')).toBe(text);
  });

  it('replaces an empty file', async () => {
    await writeFile(path, '');
    await writeAdminKubeconfig(path, config);
    expect(await readFile(path, 'utf8')).toBe(await formatAdminKubeconfig(config));
  });
});
