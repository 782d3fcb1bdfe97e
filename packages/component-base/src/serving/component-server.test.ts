import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect as connectHttp2 } from 'node:http2';
import { type RequestOptions, request } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recordLogs } from '@coxswain/apimachinery/log';
import { type RunningApiServer, startApiServer } from '@coxswain/apiserver';
import { ClientSet, FakeClock } from '@coxswain/client';
import { loadRestConfig } from '@coxswain/client/kubeconfig';
import { issueKeyPair, type KeyPair, parseCertificatesPem } from '@coxswain/client/x509';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { withDefaults } from '../flags/flag.ts';
import { ComponentHealth } from '../health/index.ts';
import { HealthMetrics, MetricsRegistry } from '../metrics/index.ts';
import { componentPages } from './component-pages.ts';
import { type ComponentServer, startComponentServer } from './component-server.ts';
import { type ServingOptions, servingFlags } from './serving-flags.ts';

/* A component's port over real sockets, with a real API server for its reviews. */

let folder: string;
let api: RunningApiServer;
let admin: ClientSet;
let kubeconfig: string;
let clock: FakeClock;
const servers: ComponentServer[] = [];
const logged: string[] = [];
const { logger } = recordLogs({ onLine: (_, { message }) => logged.push(message) });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'component-server-'));
  api = await startApiServer({ memory: true, securePort: 0, bindAddress: '127.0.0.1' });
  kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, api.kubeconfig!);
  admin = ClientSet.forConfig({ ...(await loadRestConfig({ path: kubeconfig })), qps: 0 });
}, 60_000);
afterAll(async () => {
  await admin?.rest.close();
  await api?.stop();
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  clock = new FakeClock(Date.now());
  logged.length = 0;
});
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const delegating = (): ServingOptions => ({
  authenticationKubeconfig: kubeconfig,
  authorizationKubeconfig: kubeconfig,
});

async function start(options: ServingOptions): Promise<number> {
  const metrics = new MetricsRegistry(() => new Date(clock.now()));
  const healthMetrics = new HealthMetrics();
  const handler = componentPages({
    component: 'kube-example',
    health: new ComponentHealth({ endpoints: { healthz: [] }, hasSubpaths: false, onResult: healthMetrics.record }),
    healthMetrics,
    metrics,
    configuration: { 'example.config.k8s.io': { kind: 'Example' } },
    flags: {},
    features: { ComponentFlagz: true, ComponentStatusz: true },
    profiling: true,
    now: () => new Date(clock.now()),
  });
  const settings = { ...withDefaults(servingFlags(0), { bindAddress: '127.0.0.1', ...options }) };
  const server = await startComponentServer({
    component: 'kube-example',
    settings,
    handler,
    clock,
    logger,
    metrics,
    env: {},
  });
  servers.push(server);
  return server.port;
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly certificate: Buffer;
}

function ask(port: number, path: string, options: RequestOptions & { token?: string } = {}): Promise<Answer> {
  const { token, headers, ...rest } = options;
  return new Promise((resolve, reject) => {
    const outgoing = request(`https://127.0.0.1:${port}${path}`, {
      rejectUnauthorized: false,
      agent: false,
      headers: { ...(token && { authorization: `Bearer ${token}` }), ...headers },
      ...rest,
    });
    outgoing.on('error', reject).on('response', (response) => {
      const socket = response.socket as import('node:tls').TLSSocket;
      const certificate = socket.getPeerCertificate().raw;
      const chunks: Buffer[] = [];
      response
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('end', () => {
          const text = Buffer.concat(chunks).toString();
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, certificate });
        });
    });
    outgoing.end();
  });
}

async function tokenOf(name: string): Promise<string> {
  const accounts = admin.core.v1.serviceAccounts('default');
  await accounts.create({ metadata: { name } });
  const { status } = await accounts.createToken(name, { metadata: {}, spec: { audiences: [] } });
  return status?.token ?? '';
}

const forbidden = (user: string, path: string) => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: `forbidden: User "${user}" cannot get path "${path}"`,
  reason: 'Forbidden',
  details: {},
  code: 403,
});

describe('an anonymous client', () => {
  it('can read only health', async () => {
    const port = await start(delegating());
    expect(await ask(port, '/healthz')).toMatchObject({
      status: 200,
      text: 'ok',
      headers: { 'cache-control': 'no-cache, private', 'x-content-type-options': 'nosniff' },
    });
    const refused = await ask(port, '/metrics');
    expect(refused).toMatchObject({
      status: 403,
      headers: {
        'content-type': 'application/json',
        'cache-control': 'no-cache, private',
        'x-content-type-options': 'nosniff',
      },
    });
    expect(JSON.parse(refused.text)).toEqual(forbidden('system:anonymous', '/metrics'));
  });

  it('with an unknown token gets a 401', async () => {
    const port = await start(delegating());
    const headers = { 'user-agent': 'curl/8' };
    const { status, text, headers: answered } = await ask(port, '/healthz', { token: 'nope', headers });
    expect(status).toBe(401);
    expect(answered['x-content-type-options']).toBeUndefined();
    expect(text).toBe(`{
  "kind": "Status",
  "apiVersion": "v1",
  "metadata": {},
  "status": "Failure",
  "message": "Unauthorized",
  "reason": "Unauthorized",
  "code": 401
}`);
  });

  it('may send any token when no API server is configured', async () => {
    const port = await start({});
    expect(await ask(port, '/healthz', { token: 'nope' })).toMatchObject({ status: 200 });
    const refused = await ask(port, '/configz', { token: 'nope' });
    expect(JSON.parse(refused.text)).toEqual(forbidden('system:anonymous', '/configz'));
    expect(logged).toEqual([
      "No authentication-kubeconfig provided in order to lookup client-ca-file in configmap/extension-apiserver-authentication in kube-system, so client certificate authentication won't work.",
      "No authorization-kubeconfig provided, so SubjectAccessReview of authorization tokens won't work.",
    ]);
  });

  it('can read the paths that are always allowed', async () => {
    const port = await start({ ...delegating(), authorizationAlwaysAllowPaths: ['configz', '/metrics*'] });
    expect((await ask(port, '/configz')).text).toBe('{"example.config.k8s.io":{"kind":"Example"}}');
    expect((await ask(port, '/metrics/slis')).status).toBe(200);
    expect((await ask(port, '/flagz')).status).toBe(403);
  });
});

describe('a client with credentials of the API server', () => {
  const cluster = async (): Promise<{ cert: string; key: string }> => {
    const { clientCertificate } = (await (await loadRestConfig({ path: kubeconfig })).credentials!.current()) ?? {};
    return { cert: clientCertificate!.certificate, key: clientCertificate!.key };
  };

  it('is authenticated by its certificate', async () => {
    const port = await start(delegating());
    const answer = await ask(port, '/metrics', await cluster());
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8; escaping=underscores');
    expect(answer.text).toMatch(/^rest_client_requests_total\{code="200",host="127.0.0.1:\d+",method="GET"\} [1-9]/m);
    expect((await ask(port, '/nothing', await cluster())).text).toBe('404 page not found\n');
  });

  it('is anonymous with its certificate when authorities are not looked up', async () => {
    const port = await start({ ...delegating(), authenticationSkipLookup: true });
    expect((await ask(port, '/metrics', await cluster())).status).toBe(403);
  });

  it('is authorized by its token as in the cluster, once no older decision is cached', async () => {
    const port = await start(delegating());
    const token = await tokenOf('prometheus');
    const user = 'system:serviceaccount:default:prometheus';
    expect(JSON.parse((await ask(port, '/metrics', { token })).text)).toEqual(forbidden(user, '/metrics'));
    await admin.rbac.v1.clusterRoleBindings().create({
      metadata: { name: 'prometheus' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'system:monitoring' },
      subjects: [{ kind: 'ServiceAccount', namespace: 'default', name: 'prometheus' }],
    });
    expect((await ask(port, '/metrics', { token })).status).toBe(403);
    await clock.advance(10_000);
    expect((await ask(port, '/metrics', { token })).status).toBe(200);
    expect((await ask(port, '/configz', { token })).status).toBe(403);
  });

  it('gets a 500 when the API server cannot be reached', async () => {
    const gone = join(folder, 'gone');
    await writeFile(gone, (await readFile(kubeconfig, 'utf8')).replace(/127\.0\.0\.1:\d+/, '127.0.0.1:1'));
    const port = await start({ authenticationKubeconfig: kubeconfig, authorizationKubeconfig: gone });
    const { status, text } = await ask(port, '/metrics', { token: await tokenOf('late') });
    expect(status).toBe(500);
    expect(text).toMatch(/^Internal Server Error: "\/metrics": .*ECONNREFUSED/);
  });
});

describe('authorities', () => {
  const validity = { notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + 3_600_000) };
  const newAuthority = (commonName = 'authority'): KeyPair => issueKeyPair({ commonName, isCA: true, ...validity });
  const client = (authority: KeyPair, commonName: string): { cert: string; key: string } => {
    const template = { commonName, organizations: ['system:masters'], usages: ['clientAuth' as const], ...validity };
    const { certificatePem: cert, keyPem: key } = issueKeyPair(template, authority);
    return { cert, key };
  };
  /** The CA names in the handshake, as printed by OpenSSL's client. */
  const namedBy = (port: number): Promise<string> =>
    new Promise((resolve) => {
      const asked = execFile('openssl', ['s_client', '-connect', `127.0.0.1:${port}`], (_, text) => resolve(text));
      asked.stdin?.end();
    });
  const file = async (name: string, text: string): Promise<string> => {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  };

  it('of a file take precedence over the cluster’s, and are reloaded', async () => {
    const [first, second] = [newAuthority(), newAuthority()];
    const clientCaFile = await file('clients.crt', first.certificatePem);
    const port = await start({ ...delegating(), clientCaFile });
    expect((await ask(port, '/configz', client(first, 'jane'))).status).toBe(200);
    expect((await ask(port, '/configz', client(second, 'jane'))).status).toBe(401);
    await file('clients.crt', second.certificatePem);
    await expect.poll(async () => (await ask(port, '/configz', client(second, 'jane'))).status).toBe(200);
    expect((await ask(port, '/configz', client(first, 'jane'))).status).toBe(401);
  });

  it.skipIf(spawnSync('openssl', ['version']).error)('are named in the handshake, also after a reload', async () => {
    const clientCaFile = await file('named.crt', newAuthority('first').certificatePem);
    const port = await start({ ...delegating(), clientCaFile });
    expect(await namedBy(port)).toContain('CA names\nCN = first\n');
    await file('named.crt', newAuthority('second').certificatePem);
    await expect.poll(() => namedBy(port)).toContain('CA names\nCN = second\n');
  });

  it('of front proxies let them authenticate users by headers', async () => {
    const authority = newAuthority();
    const requestheaderClientCaFile = await file('proxies.crt', authority.certificatePem);
    const port = await start({ ...delegating(), requestheaderClientCaFile, requestheaderAllowedNames: ['proxy'] });
    const headers = { 'x-remote-user': 'jane', 'x-remote-group': 'system:masters' };
    expect((await ask(port, '/configz', { ...client(authority, 'proxy'), headers })).status).toBe(200);
    expect((await ask(port, '/configz', { ...client(authority, 'other'), headers })).status).toBe(401);
    expect((await ask(port, '/configz', { headers })).status).toBe(403);
  });

  it('that cannot be looked up prevent the start, unless that is tolerated', async () => {
    const gone = join(folder, 'gone-too');
    await writeFile(gone, (await readFile(kubeconfig, 'utf8')).replace(/127\.0\.0\.1:\d+/, '127.0.0.1:1'));
    const options = { authenticationKubeconfig: gone };
    const failure = 'unable to load configmap based request-header-client-ca-file: ';
    await expect(start(options)).rejects.toThrow(failure);
    const port = await start({ ...options, authenticationTolerateLookupFailure: true });
    expect((await ask(port, '/healthz')).text).toBe('ok');
    expect(logged).toContain(
      'Continuing without authentication configuration. This may treat all requests as anonymous.',
    );
  });
});

describe('the port', () => {
  const certificateOf = async (port: number, options?: RequestOptions) =>
    parseCertificatesPem(
      `-----BEGIN CERTIFICATE-----\n${(await ask(port, '/healthz', options)).certificate.toString('base64')}\n-----END CERTIFICATE-----`,
    )[0]!.x509;

  it('signs its own certificate, for localhost', async () => {
    const { subject, issuer, subjectAltName } = await certificateOf(await start({}));
    expect([subject, issuer]).toEqual([
      expect.stringMatching(/^CN=localhost@\d+$/),
      expect.stringMatching(/^CN=localhost-ca@\d+$/),
    ]);
    expect(subjectAltName).toBe('DNS:localhost, IP Address:127.0.0.1');
  });

  it('keeps its own certificate in certDir', async () => {
    const certDir = join(folder, 'certificates');
    const first = await certificateOf(await start({ certDir }));
    const second = await certificateOf(await start({ certDir }));
    expect(second.fingerprint256).toBe(first.fingerprint256);
    expect(await readFile(join(certDir, 'kube-example.crt'), 'utf8')).toContain('BEGIN CERTIFICATE');
  });

  it('uses the given certificates, also by server name, and reloads them', async () => {
    const validity = { notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + 3_600_000) };
    const write = async (name: string, dnsName: string): Promise<{ certificateFile: string; keyFile: string }> => {
      const pair = issueKeyPair({ commonName: name, usages: ['serverAuth'], dnsNames: [dnsName], ...validity });
      const [certificateFile, keyFile] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)];
      await writeFile(keyFile, pair.keyPem);
      await writeFile(certificateFile, pair.certificatePem);
      return { certificateFile, keyFile };
    };
    const given = await write('given', 'given.example');
    const named = await write('named', 'named.example');
    const port = await start({
      tlsCertFile: given.certificateFile,
      tlsPrivateKeyFile: given.keyFile,
      tlsSniCertKey: [{ ...named, names: [] }],
    });
    const first = await certificateOf(port);
    expect(first.subject).toBe('CN=given');
    expect((await certificateOf(port, { servername: 'named.example' })).subject).toBe('CN=named');
    await write('given', 'given.example');
    await expect.poll(async () => (await certificateOf(port)).fingerprint256).not.toBe(first.fingerprint256);
  });

  it('uses the configured versions of TLS and HTTP', async () => {
    const port = await start({ tlsMinVersion: 'VersionTLS13', disableHttp2Serving: true });
    await expect(ask(port, '/healthz', { maxVersion: 'TLSv1.2' })).rejects.toThrow(/alert protocol version/);
    const session = connectHttp2(`https://127.0.0.1:${await start({})}`, { rejectUnauthorized: false });
    const status = await new Promise((resolve, reject) => {
      session.on('error', reject);
      session.request({ ':path': '/healthz' }).on('response', (headers) => resolve(headers[':status']));
    });
    session.destroy();
    expect(status).toBe(200);
  });

  it('that is in use prevents the start', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as import('node:net').AddressInfo;
    await expect(start({ securePort: port })).rejects.toThrow('EADDRINUSE');
    await new Promise((resolve) => other.close(resolve));
  });
});
