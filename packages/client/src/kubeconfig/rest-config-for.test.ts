import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { FakeClock } from '@coxswain/apimachinery/clock';
import { describe, expect, it } from 'vitest';
import { TestAuthority } from '../certificates/test-authority.test-data.ts';
import { isEmptyConfig } from './invalid-configuration.ts';
import { loadKubeConfig } from './load-kubeconfig.ts';
import type { ConfigOverrides } from './overrides.ts';
import { parseKubeConfig } from './parse-kubeconfig.ts';
import { restConfigFor } from './rest-config-for.ts';
import { authorityOf, kubeconfigText, tempDir } from './temp-dir.test-data.ts';

const authority = new TestAuthority();
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const restConfig = async (text: string, overrides?: ConfigOverrides) =>
  restConfigFor(await parseKubeConfig(text), { ...(overrides && { overrides }) });

const v1 = 'apiVersion: client.authentication.k8s.io/v1';
const noConfiguration =
  'invalid configuration: no configuration has been provided, try setting KUBERNETES_MASTER environment variable';

describe('restConfigFor rejects', () => {
  // client-go's messages, from creating the config or its transport.
  it.each<[sentence: string, text: string, message: string, overrides?: ConfigOverrides]>([
    ['an empty config', '', noConfiguration],
    ['no current context', kubeconfigText().replace('current-context: c', ''), noConfiguration],
    [
      'a current context that does not exist',
      kubeconfigText().replace('current-context: c', 'current-context: zz'),
      'invalid configuration: [context was not found for specified context: zz, cluster has no server defined]',
    ],
    [
      'an overriding context that does not exist',
      kubeconfigText(),
      'context "x" does not exist',
      { currentContext: 'x' },
    ],
    [
      'an overriding cluster that does not exist',
      kubeconfigText(),
      'cluster "x" does not exist',
      { context: { cluster: 'x' } },
    ],
    [
      'an overriding user that does not exist',
      kubeconfigText(),
      'auth info "x" does not exist',
      { context: { user: 'x' } },
    ],
    ["a context's cluster that is not there", kubeconfigText().replace('cluster: k,', 'cluster: kk,'), noConfiguration],
    [
      'a cluster without a server',
      kubeconfigText().replace('server: https://a:6443', 'tls-server-name: x'),
      'invalid configuration: no server found for cluster "k"',
    ],
    [
      'a TLS override without a cluster',
      '',
      'invalid configuration: default cluster has no server defined',
      { cluster: { 'insecure-skip-tls-verify': true } },
    ],
    [
      'a CA as file and data, with the file missing',
      kubeconfigText('certificate-authority: /no/ca\ncertificate-authority-data: aGVsbG8='),
      'invalid configuration: [certificate-authority-data and certificate-authority are both specified for k. certificate-authority-data will override., unable to read certificate-authority /no/ca for k due to open /no/ca: no such file or directory]',
    ],
    [
      'a CA with insecure-skip-tls-verify',
      kubeconfigText('certificate-authority-data: aGVsbG8=\ninsecure-skip-tls-verify: true'),
      'specifying a root certificates file with the insecure flag is not allowed',
    ],
    [
      'a CA that is not PEM',
      kubeconfigText('certificate-authority-data: aGVsbG8='),
      'unable to load root certificates: unable to parse bytes as PEM block',
    ],
    [
      'a proxy with an unsupported scheme',
      kubeconfigText('proxy-url: ftp://x'),
      `invalid configuration: invalid 'proxy-url' "ftp://x" for cluster "k": unsupported scheme "ftp", must be http, https, or socks5`,
    ],
    [
      'a proxy that is not a URL, with its password masked',
      kubeconfigText('proxy-url: "http://me:secret@x y"'),
      `invalid configuration: invalid 'proxy-url' "http://me:xxxxx@x y" for cluster "k": could not parse: http://me:xxxxx@x y`,
    ],
    [
      'a certificate without a key',
      kubeconfigText('', 'client-certificate-data: aGVsbG8='),
      'invalid configuration: client-key-data or client-key must be specified for u to use the clientCert authentication method.',
    ],
    [
      'certificate and key as files and data',
      kubeconfigText(
        '',
        'client-certificate-data: aGVsbG8=\nclient-certificate: /no/c\nclient-key: /no/k\nclient-key-data: aGVsbG8=',
      ),
      'invalid configuration: [client-cert-data and client-cert are both specified for u. client-cert-data will override., client-key-data and client-key are both specified for u; client-key-data will override, unable to read client-cert /no/c for u due to open /no/c: no such file or directory, unable to read client-key /no/k for u due to open /no/k: no such file or directory]',
    ],
    [
      'a certificate that is not PEM',
      kubeconfigText('', 'client-certificate-data: aGVsbG8=\nclient-key-data: aGVsbG8='),
      'tls: failed to find any PEM data in certificate input',
    ],
    [
      'two ways to authenticate',
      kubeconfigText('', 'token: t\nusername: x\npassword: z'),
      'invalid configuration: more than one authentication method found for u; found [token basicAuth], only one is allowed',
    ],
    [
      'a token file that does not exist',
      kubeconfigText('', 'tokenFile: /no/t'),
      'open /no/t: no such file or directory',
    ],
    [
      'groups without an impersonated user',
      kubeconfigText('', 'as-groups: [g]'),
      'invalid configuration: requesting uid, groups or user-extra for u without impersonating a user',
    ],
    [
      'a plug-in without any field',
      kubeconfigText('', 'exec: {}'),
      'invalid configuration: [command must be specified for u to use exec authentication plugin, apiVersion must be specified for u to use exec authentication plugin, interactiveMode must be specified for u to use exec authentication plugin]',
    ],
    [
      'a plug-in of v1 without a mode',
      kubeconfigText('', `exec: {command: x, ${v1}}`),
      'invalid configuration: interactiveMode must be specified for u to use exec authentication plugin',
    ],
    [
      'a plug-in with an invalid mode',
      kubeconfigText('', `exec: {command: x, ${v1}, interactiveMode: Foo}`),
      'invalid configuration: invalid interactiveMode for u: "Foo"',
    ],
    [
      'a plug-in of a removed version',
      kubeconfigText('', 'exec: {command: x, apiVersion: client.authentication.k8s.io/v1alpha1}'),
      'exec plugin: invalid apiVersion "client.authentication.k8s.io/v1alpha1"',
    ],
    [
      'a plug-in with an environment variable without a name',
      kubeconfigText('', `exec: {command: x, ${v1}, interactiveMode: Never, env: [{value: x}]}`),
      'invalid configuration: env variable name must be specified for u to use exec authentication plugin',
    ],
    [
      'a plug-in and a provider',
      kubeconfigText('', `exec: {command: x, ${v1}, interactiveMode: Never}\nauth-provider: {name: oidc}`),
      'invalid configuration: authProvider cannot be provided in combination with an exec plugin for u',
    ],
    ['an unknown provider', kubeconfigText('', 'auth-provider: {name: foo}'), 'no Auth Provider found for name "foo"'],
    [
      'a removed provider',
      kubeconfigText('', 'auth-provider: {name: gcp}'),
      'The gcp auth plugin has been removed.\nPlease use the "gke-gcloud-auth-plugin" kubectl/client-go credential plugin instead.\nSee https://cloud.google.com/blog/products/containers-kubernetes/kubectl-auth-changes-in-gke for further details',
    ],
    ['a provider without an issuer', kubeconfigText('', 'auth-provider: {name: oidc}'), 'Must provide idp-issuer-url'],
    [
      'a server that is neither a host nor a URL',
      kubeconfigText('', '', 'a/b'),
      'host must be a URL or a host:port pair: "a/b"',
    ],
  ])('%s', async (_, text, message, overrides) => {
    const failed = restConfig(text, overrides);
    await expect(failed).rejects.toMatchObject({ message });
    await failed.catch((error: unknown) => expect(isEmptyConfig(error)).toBe(message === noConfiguration));
  });
});

describe('restConfigFor', () => {
  it('returns the configuration of the context', async () => {
    const cluster = [
      `certificate-authority-data: ${base64(authority.certificate)}`,
      'tls-server-name: name',
      'proxy-url: socks5://p:1080',
      'disable-compression: true',
    ].join('\n');
    const user = 'as: x\nas-uid: q\nas-groups: [a, b]\nas-user-extra: {k: [v]}\ntoken: t';
    const text = kubeconfigText(cluster, user).replace('user: u}', 'user: u, namespace: ns}');
    const { credentials, ...config } = await restConfig(text);
    expect(config).toEqual({
      server: 'https://a:6443',
      namespace: 'ns',
      tls: { ca: authority.certificate, serverName: 'name' },
      proxyUrl: 'socks5://p:1080',
      disableCompression: true,
      impersonate: { userName: 'x', uid: 'q', groups: ['a', 'b'], extra: { k: ['v'] } },
    });
    expect({ ...(await credentials?.current()) }).toEqual({ token: 't' });
  });

  it.each<[sentence: string, server: string, expected: string]>([
    ['a host', 'a:6443', 'http://a:6443'],
    ['a path with query and fragment', 'https://a/b/?q=1#f', 'https://a/b/'],
    ['a query without a path', 'https://a?q=1', 'https://a'],
    ['an address', 'https://[::1]:6443', 'https://[::1]:6443'],
  ])('reaches a server that is written as %s', async (_, server, expected) => {
    expect((await restConfig(kubeconfigText('', '', `"${server}"`))).server).toBe(expected);
  });

  it('has no credentials without TLS', async () => {
    const config = await restConfig(kubeconfigText('', 'token: t\nas: x', 'http://a'));
    expect(config.credentials).toBeUndefined();
    expect(config.impersonate).toEqual({ userName: 'x' });
  });

  it('gives overrides precedence, and lets one TLS setting replace all others', async () => {
    const ca = `certificate-authority-data: ${base64(authority.certificate)}\ntls-server-name: name`;
    const text = kubeconfigText(ca, 'token: t');
    const config = await restConfig(text, {
      context: { namespace: 'o' },
      cluster: { server: 'https://o', 'insecure-skip-tls-verify': true },
      user: { token: 'other', as: '' },
      timeoutMs: 5000,
    });
    expect(config).toMatchObject({ server: 'https://o', namespace: 'o', timeoutMs: 5000 });
    expect(config.tls).toEqual({ insecureSkipTlsVerify: true });
    expect((await config.credentials?.current())?.token).toBe('other');
    expect((await restConfig(text, { clusterDefaults: { server: 'https://x' } })).server).toBe('https://a:6443');
    expect((await restConfig('', { cluster: { server: 'https://x' } })).server).toBe('https://x');
  });

  it('combines a certificate and a token, and does not run the plug-in then', async () => {
    const pair = authority.issue({ commonName: 'me' });
    const user = [
      `client-certificate-data: ${base64(pair.certificate)}`,
      `client-key-data: ${base64(pair.key)}`,
      'token: t',
      `exec: {command: no-such-plugin, ${v1}, interactiveMode: Never}`,
    ].join('\n');
    const { credentials } = await restConfig(kubeconfigText('', user));
    const credential = await credentials!.current();
    const clientCertificate = { certificate: pair.certificate, key: pair.key };
    expect({ ...credential }).toEqual({ token: 't', clientCertificate });
    expect(await credentials!.current()).toBe(credential);
    expect(credentials!.refused(credential)).toBe(false);
  });

  it('prints no secrets', async () => {
    const config = await restConfig(kubeconfigText('', 'username: me\npassword: secret'));
    const printed = [
      inspect(config, { depth: 9, showHidden: true }),
      inspect(await config.credentials!.current()),
      JSON.stringify(await config.credentials!.current()),
      `${await config.credentials!.current()}`,
    ];
    expect(printed.join()).not.toContain('secret');
    expect((await config.credentials!.current()).basic).toEqual({ username: 'me', password: 'secret' });
  });

  it('re-reads a CA file, and keeps the old CA while the new one is invalid', async () => {
    const dir = await tempDir({ 'ca.crt': authority.certificate, a: kubeconfigText('certificate-authority: ca.crt') });
    const clock = new FakeClock();
    const config = await restConfigFor(await loadKubeConfig({ path: join(dir, 'a') }), { clock });
    const ca = () => authorityOf(config);
    expect(await ca()).toBe(authority.certificate);
    const other = new TestAuthority().certificate;
    await writeFile(join(dir, 'ca.crt'), other);
    expect(await ca()).toBe(authority.certificate);
    await clock.advance(60_000);
    expect(await ca()).toBe(other);
    for (const text of ['', 'garbage']) {
      await writeFile(join(dir, 'ca.crt'), text);
      await clock.advance(60_000);
      expect(await ca()).toBe(other);
    }
  });
});
