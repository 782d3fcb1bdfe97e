import { writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { FakeClock } from '@coxswain/apimachinery/clock';
import { describe, expect, it } from 'vitest';
import { TestAuthority } from '../certificates/test-authority.test-data.ts';
import { inClusterConfig } from './in-cluster-config.ts';
import { isEmptyConfig } from './invalid-configuration.ts';
import { loadRestConfig } from './load-rest-config.ts';
import { authorityOf, kubeconfigText, tempDir } from './temp-dir.test-data.ts';

const pod = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };
const authority = new TestAuthority();
const accountFiles = { token: 'sa\n', 'ca.crt': authority.certificate, namespace: 'ours\n' };

describe('loadRestConfig', () => {
  it('uses the path, then KUBECONFIG, then the home directory, then the pod', async () => {
    const dir = await tempDir({
      explicit: kubeconfigText('', '', 'https://explicit'),
      named: kubeconfigText('', '', 'https://named'),
      '.kube/config': kubeconfigText('', '', 'https://home'),
    });
    const serviceAccountDir = await tempDir(accountFiles);
    const common = { serviceAccountDir, homeDir: dir };
    const env = { ...pod, KUBECONFIG: join(dir, 'named') };
    const server = async (options: object): Promise<string> => (await loadRestConfig(options)).server;
    expect(await server({ ...common, path: join(dir, 'explicit'), env })).toBe('https://explicit');
    expect(await server({ ...common, env })).toBe('https://named');
    expect(await server({ ...common, env: pod })).toBe('https://home');
    expect(await server({ ...common, homeDir: join(dir, 'no'), env: pod })).toBe('https://10.0.0.1:443');
    expect(await server({ homeDir: join(dir, 'no'), env: { KUBERNETES_MASTER: 'http://m:80' } })).toBe('http://m');
    await expect(server({ homeDir: join(dir, 'no'), env: {} })).rejects.toThrow('no configuration has been provided');
  });

  it('reports the missing files of KUBECONFIG when there is no other configuration', async () => {
    const dir = await tempDir({ empty: '' });
    const [missing, other, empty] = ['missing', 'other', 'empty'].map((name) => join(dir, name));
    const nothing = 'no configuration has been provided, try setting KUBERNETES_MASTER environment variable';
    const env = { KUBECONFIG: [missing, empty, other].join(delimiter) };
    const failure = await loadRestConfig({ env, homeDir: dir }).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      message: `invalid configuration: ${nothing}; config not found: ${missing}, ${other}`,
    });
    expect(isEmptyConfig(failure)).toBe(true);
  });

  it('does not fall back when a configuration is invalid', async () => {
    const dir = await tempDir({ a: kubeconfigText().replace('current-context: c', 'current-context: zz') });
    const serviceAccountDir = await tempDir(accountFiles);
    const loading = loadRestConfig({ path: join(dir, 'a'), env: pod, serviceAccountDir });
    await expect(loading).rejects.toThrow('context was not found for specified context: zz');
  });

  it("falls back to the pod's namespace, and applies overrides in the pod too", async () => {
    const dir = await tempDir({ a: kubeconfigText() });
    const serviceAccountDir = await tempDir(accountFiles);
    expect((await loadRestConfig({ path: join(dir, 'a'), env: pod, serviceAccountDir })).namespace).toBe('ours');
    const overrides = { context: { namespace: 'theirs' }, user: { token: 'other' } };
    const config = await loadRestConfig({ homeDir: join(dir, 'no'), env: pod, serviceAccountDir, overrides });
    expect(config.namespace).toBe('theirs');
    expect((await config.credentials?.current())?.token).toBe('other');
  });
});

describe('inClusterConfig', () => {
  it('uses the service account, and re-reads its token', async () => {
    const serviceAccountDir = await tempDir(accountFiles);
    const clock = new FakeClock();
    const config = await inClusterConfig({
      env: { ...pod, KUBERNETES_SERVICE_HOST: 'fd00::1' },
      serviceAccountDir,
      clock,
    });
    expect(config).toMatchObject({ server: 'https://[fd00::1]:443', namespace: 'ours' });
    expect(await authorityOf(config)).toBe(authority.certificate);
    expect((await config.credentials?.current())?.token).toBe('sa');
    await writeFile(join(serviceAccountDir, 'token'), 'next');
    await clock.advance(60_000);
    expect((await config.credentials?.current())?.token).toBe('next');
  });

  it('needs a pod and a token, but no CA file', async () => {
    await expect(inClusterConfig({ env: {} })).rejects.toThrow(
      'unable to load in-cluster configuration, KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined',
    );
    const dir = await tempDir();
    await expect(inClusterConfig({ env: pod, serviceAccountDir: dir })).rejects.toThrow(
      `open ${join(dir, 'token')}: no such file`,
    );
    await writeFile(join(dir, 'token'), 't');
    expect(await inClusterConfig({ env: { ...pod, POD_NAMESPACE: 'p' }, serviceAccountDir: dir })).toMatchObject({
      tls: {},
      namespace: 'p',
    });
  });
});
