import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recordLogs } from '@coxswain/apimachinery/log';
import { issueKeyPair, type KeyPair } from '@coxswain/client/x509';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ApiServerOptions } from '../../src/options/api-server-flags.ts';
import { type Access, fetchOnce, readKubeconfig } from '../../src/options/https-client.test-data.ts';
import { type RunningApiServer, startApiServer } from '../../src/options/start-api-server.ts';
import { prepare } from './play.ts';
import { authenticationConfiguration, writeFiles } from './setup.ts';
import { keySet, signToken, TestIssuer, type TokenOptions } from './test-issuer.ts';

let directory: string;
let issuer: TestIssuer;
let server: RunningApiServer | undefined;
let logged: string[];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'reload-'));
  issuer = await new TestIssuer().start();
  prepare(issuer);
  logged = [];
});
afterEach(async () => {
  await server?.stop();
  server = undefined;
  await issuer.close();
  await rm(directory, { recursive: true });
});

/** Waits for the check with a long timeout, for busy machines. */
const eventually = <T>(check: () => T | Promise<T>): Promise<T> => vi.waitFor(check, 15_000);

async function start(options: ApiServerOptions): Promise<RunningApiServer> {
  const { logger } = recordLogs({ onLine: (line) => logged.push(line.replaceAll('\\"', '"')) });
  server = await startApiServer({ memory: true, ...options }, { logger });
  return server;
}

/** Replaces a file atomically, as editors do. */
async function put(name: string, content: unknown): Promise<string> {
  const path = join(directory, name);
  await writeFile(`${path}.new`, typeof content === 'string' ? content : JSON.stringify(content));
  await rename(`${path}.new`, path);
  return path;
}

async function whoAmI(token: string): Promise<unknown> {
  const response = await server!.transport()({
    method: 'POST',
    url: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: Buffer.from('{"kind":"SelfSubjectReview","apiVersion":"authentication.k8s.io/v1"}'),
  });
  if (response.status !== 201) return response.status;
  const review = JSON.parse(Buffer.from(response.body as Uint8Array).toString()) as {
    status: { userInfo: { username: string } };
  };
  return review.status.userInfo.username;
}

let subject = 0;
/** Returns a new token each time, which is in no cache. */
const token = (path: string, options: TokenOptions = {}, claims: object = {}): string =>
  signToken({ iss: issuer.url + path, aud: 'kube', sub: `s${subject++}`, exp: 4e9, ...claims }, options);

async function metric(name: string): Promise<string[]> {
  const response = await server!.transport({ username: 'x', groups: ['system:masters'] })({
    method: 'GET',
    url: '/metrics',
  });
  const text = Buffer.from(response.body as Uint8Array).toString();
  return text.split('\n').filter((line) => line.startsWith(name));
}

const configuration = (...paths: string[]) => ({
  ...(authenticationConfiguration(issuer) as object),
  anonymous: undefined,
  jwt: paths.map((path) => ({
    issuer: { url: issuer.url + path, audiences: ['kube'], certificateAuthority: issuer.ca },
    claimMappings: { username: { claim: 'sub', prefix: `${path}:` } },
  })),
});

describe('an authentication configuration', () => {
  it('is reloaded when it changes, once its issuers respond; an invalid one is ignored', async () => {
    await start({ authenticationConfig: await put('a.yaml', configuration('/plain')) });
    await eventually(async () => expect(await whoAmI(token('/plain'))).toMatch(/^\/plain:s/));
    expect(await whoAmI(token('/email'))).toBe(401);

    await put('a.yaml', configuration('/email', '/silent'));
    await put('a.yaml', { ...configuration('/email'), foo: 1 });
    await eventually(() => expect(logged.join('\n')).toContain('unknown field "foo"'));
    expect(await whoAmI(token('/plain'))).toMatch(/^\/plain:s/);

    await put('a.yaml', { ...configuration('/email'), anonymous: { enabled: true } });
    await eventually(() =>
      expect(logged.join('\n')).toContain('anonymous: Forbidden: changed from initial configuration file'),
    );

    await put('a.yaml', configuration('/email'));
    await eventually(async () => expect(await whoAmI(token('/email'))).toMatch(/^\/email:s/));
    expect(await whoAmI(token('/plain'))).toBe(401);
    const total = await metric('apiserver_authentication_config_controller_automatic_reloads_total');
    expect(total.join()).toMatch(/status="failure"\} 2.*status="success"\} 1/);
  });

  it('loads new keys of an issuer, and is not affected by an issuer that does not respond', async () => {
    await start({ authenticationConfig: await put('a.yaml', configuration('/silent', '/impostor', '/plain')) });
    await eventually(async () => expect(await whoAmI(token('/plain'))).toMatch(/^\/plain:s/));
    expect(await whoAmI(token('/silent'))).toBe(401);
    expect(await whoAmI(token('/plain', { key: 'rotated' }))).toBe(401);
    issuer.json('/plain/keys', keySet('rotated'));
    await eventually(async () => expect(await whoAmI(token('/plain', { key: 'rotated' }))).toMatch(/^\/plain:s/));
    expect(await whoAmI(token('/plain', { key: 'rsa' }))).toBe(401);
    expect(await metric('apiserver_authentication_jwt_authenticator_jwks_fetch_last_key_set_info')).toHaveLength(1);
  });
});

describe('issuers and webhooks that hang', () => {
  it('delay only the requests that need them', async () => {
    const hung: (() => void)[] = [];
    issuer.issue('/hung', []);
    issuer.on('/hung/keys', (response) => hung.push(() => response.end(JSON.stringify(keySet('rsa')))));
    const files = await writeFiles(directory, issuer);
    await start({
      authenticationConfig: await put('a.yaml', configuration('/hung', '/plain')),
      authenticationTokenWebhookConfigFile: files.tokenWebhook,
    });
    await eventually(async () => expect(await whoAmI(token('/plain'))).toMatch(/^\/plain:s/));
    issuer.on('/authenticate', (response) => hung.push(() => response.writeHead(404).end()));
    const waiting = Array.from({ length: 150 }, (_, index) => whoAmI(index % 2 ? `opaque-${index}` : token('/hung')));
    await eventually(() => expect(hung.length).toBeGreaterThan(50));
    expect(await whoAmI(token('/plain'))).toMatch(/^\/plain:s/);
    // All tokens share one request for the keys.
    expect(issuer.exchanges.filter(({ path }) => path === '/hung/keys')).toHaveLength(1);
    let released = 0;
    await Promise.race([
      Promise.all(waiting),
      eventually(() => {
        for (; released < hung.length; released++) hung[released]!();
        expect(released).toBe(76);
      }),
    ]);
    const found = await Promise.all(waiting);
    expect(found.filter((who) => String(who).startsWith('/hung:s'))).toHaveLength(75);
    expect(found.filter((who) => who === 401)).toHaveLength(75);
  });
});

describe('OpenID Connect by flags', () => {
  const flags = async (more: ApiServerOptions = {}): Promise<ApiServerOptions> => ({
    oidcIssuerUrl: `${issuer.url}/plain`,
    oidcClientId: 'kube',
    oidcCaFile: await put('ca.crt', issuer.ca),
    ...more,
  });
  const soon = (name: unknown, given: () => string) =>
    eventually(async () => expect(await whoAmI(given())).toEqual(name));

  it('prefixes user names with the issuer', async () => {
    await start(await flags());
    await soon(`${issuer.url}/plain#jane`, () => token('/plain', {}, { sub: 'jane' }));
    expect(await whoAmI(token('/plain', { alg: 'RS512' }))).toBe(401);
  });

  it('prefixes user names with the configured prefix, or not at all', async () => {
    await start(
      await flags({ oidcUsernamePrefix: '-', oidcSigningAlgs: ['RS512'], oidcRequiredClaim: new Map([['a', 'b']]) }),
    );
    await soon('jane', () => token('/plain', { alg: 'RS512' }, { sub: 'jane', a: 'b' }));
    expect(await whoAmI(token('/plain', { alg: 'RS512' }))).toBe(401);
    expect(await whoAmI(token('/plain', { alg: 'RS256' }, { a: 'b' }))).toBe(401);
  });

  it('does not prefix email addresses', async () => {
    await start(await flags({ oidcUsernameClaim: 'email' }));
    await soon('jane@example.com', () => token('/plain', {}, { email: 'jane@example.com' }));
  });

  it('is refused when the flags are invalid', async () => {
    const refused = async (more: ApiServerOptions, message: string) =>
      expect(start(await flags(more))).rejects.toThrow(message);
    await refused({ oidcSigningAlgs: ['HS256'] }, 'oidc: unsupported signing alg: "HS256"');
    await refused(
      { oidcIssuerUrl: 'http://x' },
      'invalid authentication configuration: jwt[0].issuer.url: Invalid value: "http://x": URL scheme must be https',
    );
    await refused(
      { serviceAccountIssuer: [`${issuer.url}/plain`] },
      `issuer.url: Invalid value: "${issuer.url}/plain": URL must not overlap with disallowed issuers: [${issuer.url}/plain]`,
    );
    const file = await put('a.yaml', {
      ...configuration(),
      jwt: [
        {
          ...configuration('/plain').jwt[0],
          issuer: { url: 'https://x', audiences: ['a'], egressSelectorType: 'cluster' },
        },
      ],
    });
    await expect(start({ authenticationConfig: file })).rejects.toThrow(
      'oidc: egress lookup required with egress selector type "cluster"',
    );
  });
});

describe('an authorization configuration', () => {
  it('is reloaded when it changes, if it is valid', async () => {
    const files = await writeFiles(directory, issuer);
    const name = 'authorization.yaml';
    await start({ authorizationConfig: files.authorizationConfig, tokenAuthFile: files.tokens });
    const ask = async (): Promise<number> =>
      (
        await server!.transport()({
          method: 'GET',
          url: '/api/v1/namespaces/x/pods',
          headers: { authorization: 'Bearer allowed' },
        })
      ).status;
    expect(await ask()).toBe(200);
    const rbac = (...more: object[]) => ({
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'AuthorizationConfiguration',
      authorizers: [{ type: 'RBAC', name: 'rbac' }, ...more],
    });
    await put(name, { ...rbac(), authorizers: [{ type: 'AlwaysAllow', name: 'alwaysallow' }] });
    await eventually(() => expect(logged.join('\n')).toContain('missing required types: [RBAC]'));
    await put(name, rbac({ type: 'Node', name: 'node' }));
    await eventually(() =>
      expect(logged.join('\n')).toContain(
        'authorizer type Node is not allowed if it was not enabled at initial server startup',
      ),
    );
    expect(await ask()).toBe(200);
    await put(name, rbac());
    await eventually(async () => expect(await ask()).toBe(403));
    const total = await metric('apiserver_authorization_config_controller_automatic_reloads_total');
    expect(total.join()).toMatch(/status="failure"\} 2.*status="success"\} 1/);
    expect((await metric('apiserver_authorization_decisions_total')).join()).toContain('type="Webhook"');
  });
});

describe('certificates', () => {
  const year = { notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + 365 * 86_400_000) };
  const newAuthority = (): KeyPair => issueKeyPair({ commonName: 'authority', isCA: true, ...year });
  const client = (ca: KeyPair): KeyPair => issueKeyPair({ commonName: 'jane', usages: ['clientAuth'], ...year }, ca);
  const serving = (ca: KeyPair): KeyPair =>
    issueKeyPair({ commonName: 's', ipAddresses: ['127.0.0.1'], usages: ['serverAuth'], ...year }, ca);
  const onPort = { securePort: 0, bindAddress: '127.0.0.1' };

  it('of clients are verified by the CAs that are currently in the file', async () => {
    const [old, renewed] = [newAuthority(), newAuthority()];
    const file = await put('client-ca.crt', old.certificatePem);
    const own = newAuthority();
    const pair = serving(own);
    await start({
      ...onPort,
      clientCaFile: file,
      tlsCertFile: await put('s.crt', pair.certificatePem),
      tlsPrivateKeyFile: await put('s.key', pair.keyPem),
      anonymousAuth: false,
    });
    const access = (from: KeyPair): Access => {
      const { certificatePem: cert, keyPem: key } = client(from);
      return { server: server!.url!, ca: own.certificatePem, cert, key };
    };
    const [first, second] = [access(old), access(renewed)];
    const ask = async (who: Access) => (await fetchOnce(who, '/version')).status;
    expect([await ask(first), await ask(second)]).toEqual([200, 401]);
    await put('client-ca.crt', 'nothing of use');
    await eventually(() =>
      expect(logged.join('\n')).toContain('Failed to reload a changed file; its previous content stays in use'),
    );
    expect(await ask(first)).toBe(200);
    await put('client-ca.crt', renewed.certificatePem);
    await eventually(async () => expect([await ask(first), await ask(second)]).toEqual([401, 200]));
  });

  it('of the server are used for new connections when they are renewed', async () => {
    const own = newAuthority();
    const [old, renewed] = [serving(own), serving(own)];
    const tlsCertFile = await put('s.crt', old.certificatePem);
    const tlsPrivateKeyFile = await put('s.key', old.keyPem);
    await start({ ...onPort, tlsCertFile, tlsPrivateKeyFile });
    const shown = async () =>
      (await fetchOnce({ ...readKubeconfig(server!.kubeconfig!), ca: own.certificatePem }, '/version')).fingerprint;
    expect(await shown()).toBe(old.certificate.x509.fingerprint256);
    await put('s.crt', renewed.certificatePem);
    await eventually(() => expect(logged.join('\n')).toContain('the private key is for another certificate'));
    expect(await shown()).toBe(old.certificate.x509.fingerprint256);
    await put('s.key', renewed.keyPem);
    await eventually(async () => expect(await shown()).toBe(renewed.certificate.x509.fingerprint256));
  });
});

describe('a request without credentials', () => {
  const ask = async (): Promise<number> => (await server!.transport()({ method: 'GET', url: '/livez' })).status;

  it('is accepted, except with AlwaysAllow', async () => {
    await start({});
    expect(await ask()).toBe(200);
    await server?.stop();
    await start({ authorizationMode: ['AlwaysAllow'] });
    expect(await ask()).toBe(401);
    expect(logged.join('\n')).toContain('Anonymous requests are refused');
  });

  it('cannot be configured by a flag and by a file', async () => {
    const file = await put('a.yaml', { ...configuration(), anonymous: { enabled: true } });
    await expect(start({ authenticationConfig: file, anonymousAuth: true })).rejects.toThrow(
      'anonymous: Forbidden: --anonymous-auth flag cannot be set when anonymous field is configured in authentication configuration file',
    );
  });
});
