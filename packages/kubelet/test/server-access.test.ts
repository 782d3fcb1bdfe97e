import { once } from 'node:events';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { type IncomingMessage, get as plainGet } from 'node:http';
import { type RequestOptions, request } from 'node:https';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { issueKeyPair, type KeyPair } from '@coxswain/client/x509';
import { type RuntimeServiceHandlers, runtimeInProcess } from '@coxswain/cri';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeletServer } from '../src/server/kubelet-server.ts';
import type { ServingPair } from '../src/server/serving-certificate-source.ts';
import { freePort, SessionCluster, serverSettings } from './session-cluster.ts';

const validity = { notBefore: new Date(Date.now() - 3_600_000), notAfter: new Date(Date.now() + 86_400_000) };

const nothing = async () => ({});
const emptyRuntime: RuntimeServiceHandlers = {
  listContainers: nothing,
  listPodSandbox: nothing,
  listContainerStats: nothing,
  listPodSandboxStats: nothing,
};

let cluster: SessionCluster;
let server: KubeletServer;
let foreign: KeyPair;
/** Tokens of service accounts. Each may get only the subresource of nodes that is the key. */
const tokens: Record<string, string> = {};

const subresources = ['proxy', 'pods', 'healthz', 'configz', 'stats', 'metrics', 'log', 'statusz', 'none'];

beforeAll(async () => {
  cluster = await SessionCluster.start(runtimeInProcess(emptyRuntime, {}));
  server = await cluster.serve();
  const { core, rbac } = cluster.clients;
  await core.v1.namespaces().create({ metadata: { name: 'monitoring' } });
  for (const name of subresources) {
    await core.v1.serviceAccounts('monitoring').create({ metadata: { name } });
    const rules = [{ apiGroups: [''], resources: [`nodes/${name}`], verbs: ['get'] }];
    await rbac.v1.clusterRoles().create({ metadata: { name }, rules });
    await rbac.v1.clusterRoleBindings().create({
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      subjects: [{ kind: 'ServiceAccount', name, namespace: 'monitoring' }],
    });
    const { status } = await core.v1
      .serviceAccounts('monitoring')
      .createToken(name, { metadata: {}, spec: { audiences: [] } });
    tokens[name] = status?.token ?? '';
  }
  foreign = issueKeyPair({ commonName: 'admin', usages: ['clientAuth'], ...validity });
});
afterAll(() => cluster?.stop());

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: IncomingMessage['headers'];
}

async function read(incoming: IncomingMessage): Promise<Answer> {
  let text = '';
  for await (const chunk of incoming) text += String(chunk);
  return { status: incoming.statusCode ?? 0, text, headers: incoming.headers };
}

async function ask(path: string, options: RequestOptions & { readonly token?: string } = {}): Promise<Answer> {
  const { token, ...rest } = options;
  const outgoing = request({
    host: '127.0.0.1',
    port: server.port,
    path,
    rejectUnauthorized: false,
    agent: false,
    ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
    ...rest,
  });
  outgoing.end();
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  return await read(incoming);
}

describe('clients', () => {
  it.each([
    ['no credentials', () => ({})],
    ['an unknown token', () => ({ token: 'unknown' })],
    ['a certificate of another CA', () => ({ cert: foreign.certificatePem, key: foreign.keyPem })],
  ])('with %s are unauthorized', async (_, options) => {
    expect(await ask('/pods', options())).toMatchObject({ status: 401, text: 'Unauthorized' });
  });

  it('have the user name of their certificate', async () => {
    const { certificate, key } = cluster.api.authority.ca;
    const pair = issueKeyPair({ commonName: 'jane', usages: ['clientAuth'], ...validity }, { certificate, key: key! });
    const answer = await ask('/exec/a/b/c', { method: 'POST', cert: pair.certificatePem, key: pair.keyPem });
    expect(answer).toMatchObject({
      status: 403,
      text: 'Forbidden (user=jane, verb=create, resource=nodes, subresource(s)=[proxy])\n',
    });
  });

  it('may be anonymous if that is configured', async () => {
    const { authentication } = serverSettings;
    const other = await cluster.serve({ authentication: { ...authentication, anonymous: { enabled: true } } });
    expect(await ask('/pods', { port: other.port })).toMatchObject({
      status: 403,
      text: 'Forbidden (user=system:anonymous, verb=get, resource=nodes, subresource(s)=[pods proxy])\n',
    });
    const open = await cluster.serve({
      authentication: { ...authentication, anonymous: { enabled: true } },
      authorization: { ...serverSettings.authorization, mode: 'AlwaysAllow' },
    });
    expect(await ask('/pods', { port: open.port })).toMatchObject({ status: 200 });
  });
});

describe('each path needs its subresources', () => {
  it.each([
    ['/pods', ['pods', 'proxy']],
    ['/pods/', ['pods', 'proxy']],
    ['/runningpods/', ['pods', 'proxy']],
    ['/healthz', ['healthz', 'proxy']],
    ['/healthz/syncloop', ['healthz', 'proxy']],
    ['/configz', ['configz', 'proxy']],
    ['/stats/summary', ['stats']],
    ['/metrics', ['metrics']],
    ['/metrics/resource', ['metrics']],
    ['/logs/node.log', ['log']],
    ['/statusz', ['statusz']],
    ['/flagz', ['configz']],
    ['/debug/pprof/', ['proxy']],
    ['/containerLogs/default/on-secured/none', ['proxy']],
  ])('%s', async (path, allowed) => {
    const answers = await Promise.all(
      subresources.map(async (name) => ({ name, status: (await ask(path, { token: tokens[name] ?? '' })).status })),
    );
    expect(
      answers
        .filter(({ status }) => status !== 403)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(allowed.toSorted());
    expect(answers.some(({ status }) => status === 401 || status >= 500)).toBe(false);
  });

  it.each(['/pods%2f..%2fexec', '/podsx', '/nothing'])('%s: proxy, because it is an unknown path', async (path) => {
    expect((await ask(path, { token: tokens.pods })).status).toBe(path.includes('%2f') ? 404 : 403);
    expect((await ask(path, { token: tokens.proxy })).status).toBe(404);
  });
});

describe('the port', () => {
  const tls = async (port: number, options: object = {}): Promise<TLSSocket> => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options });
    await once(socket, 'secureConnect');
    return socket;
  };

  it('serves a self-signed certificate for the host name', async () => {
    const socket = await tls(server.port);
    expect(socket.getPeerCertificate().subjectaltname).toContain('DNS:secured');
    socket.destroy();
  });

  it('serves the certificate of the configured files', async () => {
    const pair = issueKeyPair({ commonName: 'of-files', usages: ['serverAuth'], ...validity });
    const [tlsCertFile, tlsPrivateKeyFile] = [join(cluster.directory, 'tls.crt'), join(cluster.directory, 'tls.key')];
    await writeFile(tlsCertFile, pair.certificatePem);
    await writeFile(tlsPrivateKeyFile, pair.keyPem);
    const other = await cluster.serve({ tlsCertFile, tlsPrivateKeyFile, tlsMinVersion: 'VersionTLS13' });
    const socket = await tls(other.port);
    expect(socket.getPeerCertificate().subject.CN).toBe('of-files');
    socket.destroy();
    await expect(tls(other.port, { maxVersion: 'TLSv1.2' })).rejects.toThrow();
  });

  it('is opened with the first certificate of a source, and serves its later ones', async () => {
    const pair = (commonName: string): ServingPair => {
      const { certificatePem: cert, keyPem: key } = issueKeyPair({ commonName, usages: ['serverAuth'], ...validity });
      return { cert, key };
    };
    let renew: (pair: ServingPair) => void = () => {};
    const certificate = {
      current: () => undefined,
      subscribe: (onChange: (pair: ServingPair) => void) => {
        renew = onChange;
        return () => {};
      },
    };
    const port = await freePort();
    const other = await cluster.serve({ port }, certificate);
    expect(other.port).toBe(0);
    await expect(tls(port)).rejects.toThrow('ECONNREFUSED');
    for (const name of ['first', 'second']) {
      renew(pair(name));
      while (other.port === 0) await new Promise((resolve) => setImmediate(resolve));
      const socket = await tls(port);
      expect(socket.getPeerCertificate().subject.CN).toBe(name);
      socket.destroy();
    }
  });

  it.each([
    [{ tlsMinVersion: 'VersionTLS99' }, 'unknown tls version "VersionTLS99"'],
    [{ tlsCipherSuites: ['TLS_NONE'] }, "Cipher suite TLS_NONE not supported or doesn't exist"],
    [{ authorization: { ...serverSettings.authorization, mode: '' } }, 'no authorization mode specified'],
    [{ authorization: { ...serverSettings.authorization, mode: 'Odd' } }, 'unknown authorization mode Odd'],
  ])('is not opened with %j', async (settings, message) => {
    await expect(cluster.serve(settings)).rejects.toThrow(message);
  });
});

describe('ports without TLS', () => {
  const get = async (port: number, path: string): Promise<Answer> => {
    const [incoming] = (await once(plainGet({ host: '127.0.0.1', port, path, agent: false }), 'response')) as [
      IncomingMessage,
    ];
    return await read(incoming);
  };

  it('the read-only port serves pods and statistics, and nothing else', async () => {
    const readOnlyPort = await freePort();
    await cluster.serve({ readOnlyPort });
    expect(JSON.parse((await get(readOnlyPort, '/pods')).text).items).toHaveLength(2);
    expect(await get(readOnlyPort, '/healthz')).toMatchObject({ status: 200, text: 'ok' });
    for (const path of [
      '/exec/a/b/c',
      '/run/a/b/c',
      '/containerLogs/a/b/c',
      '/logs/',
      '/runningpods/',
      '/debug/pprof/',
    ]) {
      expect(await get(readOnlyPort, path)).toMatchObject({ status: 405, text: 'Debug endpoints are disabled.\n' });
    }
    expect((await get(readOnlyPort, '/configz')).status).toBe(404);
  });

  it('the healthz port serves the health of the process', async () => {
    const healthzPort = await freePort();
    await cluster.serve({ healthzPort });
    expect(await get(healthzPort, '/healthz')).toMatchObject({ status: 200, text: 'ok' });
    expect((await get(healthzPort, '/healthz/ping')).status).toBe(200);
    expect((await get(healthzPort, '/pods')).status).toBe(404);
  });
});

describe('the node’s logs', () => {
  const read = (path: string) => ask(path, { token: tokens.log ?? '' });

  it('are listed and read', async () => {
    expect((await read('/logs/')).text).toContain('<a href="node.log">node.log</a>');
    expect(await read('/logs/node.log')).toMatchObject({ status: 200, text: 'of the node\n' });
    expect(await read('/logs')).toMatchObject({ status: 301, headers: { location: 'logs/' } });
  });

  it.each(['/logs/../ca.crt', '/logs/..%2fca.crt', '/logs/none', '/logs/link', '/logs/links/ca.crt'])(
    'do not include %s',
    async (path) => {
      await symlink(cluster.clientCAFile, join(cluster.systemLogs, 'link')).catch(() => {});
      await symlink(cluster.directory, join(cluster.systemLogs, 'links')).catch(() => {});
      expect((await readFile(cluster.clientCAFile, 'utf8')).length).toBeGreaterThan(0);
      expect((await read(path)).status).toBeOneOf([400, 404]);
    },
  );

  it('are not served if they are disabled', async () => {
    const other = await cluster.serve({ enableSystemLogHandler: false });
    expect(await ask('/logs/', { port: other.port, token: tokens.log ?? '' })).toMatchObject({
      status: 405,
      text: 'logs endpoint is disabled.\n',
    });
  });
});

it('health, configuration and log level are served as by other components', async () => {
  const page = (path: string) => ask(path, { token: tokens.proxy ?? '' });
  expect((await page('/healthz?verbose')).text).toBe('[+]ping ok\n[+]log ok\n[+]syncloop ok\nhealthz check passed\n');
  expect(JSON.parse((await page('/configz')).text)).toEqual({ kubeletconfig: { port: 10250 } });
  expect((await page('/debug/flags/v')).status).toBe(405);
});
