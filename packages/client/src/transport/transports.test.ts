import dns from 'node:dns';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningApiServer, startApiServer } from '@coxswain/apiserver';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Credential, RestConfig } from '../config/rest-config.ts';
import { FetchTransport } from './fetch-transport.ts';
import { InProcessTransport } from './in-process-transport.ts';
import { newTransport } from './new-transport.ts';
import { NodeTransport } from './node/node-transport.ts';
import type { Transport } from './transport.ts';
import { describeTransport } from './transport-contract.test-data.ts';

let server: RunningApiServer;
let directory: string;
let ca: string;
let clientCertificate: NonNullable<Credential['clientCertificate']>;
/** A plain HTTP proxy to the server with administrator rights, for the browser's transport. */
let front: Server;
let frontUrl: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'transports-'));
  server = await startApiServer({ memory: true, securePort: 0, bindAddress: '127.0.0.1', certDir: directory });
  const data = (field: string): string =>
    Buffer.from(new RegExp(`${field}: (\\S+)`).exec(server.kubeconfig!)![1]!, 'base64').toString();
  ca = data('certificate-authority-data');
  clientCertificate = { certificate: data('client-certificate-data'), key: data('client-key-data') };
  front = createServer((request, response) => {
    const passed = httpsRequest(server.url! + request.url, {
      method: request.method,
      headers: request.headers,
      ca,
      cert: clientCertificate.certificate,
      key: clientCertificate.key,
    });
    passed.on('response', (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      response.flushHeaders();
      answer.pipe(response);
      answer.on('error', () => response.destroy());
    });
    passed.on('error', () => response.destroy());
    response.on('close', () => passed.destroy());
    request.pipe(passed);
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  frontUrl = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
});
afterAll(async () => {
  front.closeAllConnections();
  front.close();
  await server.stop();
  await rm(directory, { recursive: true });
});

const asAdministrator = () => ({ current: async () => ({ clientCertificate }), refused: () => false });
const config = () => ({ server: server.url!, tls: { ca }, credentials: asAdministrator() });

describeTransport('in process', {
  hasWebSockets: true,
  newTransport: () => new InProcessTransport(server.transport({ username: 'me', groups: ['system:masters'] })),
});
describeTransport('HTTP/1.1', { hasWebSockets: true, newTransport: () => newTransport(config()) });
describeTransport('HTTP/2', {
  hasWebSockets: true,
  newTransport: () => newTransport(config(), new NodeTransport(config(), { httpVersion: '2' })),
});
describeTransport('plain HTTP', { hasWebSockets: false, newTransport: () => newTransport({ server: frontUrl }) });
describeTransport('fetch', {
  hasWebSockets: false,
  newTransport: () => newTransport({ server: frontUrl }, new FetchTransport({ server: frontUrl })),
});

/** The user that the server sees. */
async function whoAmI(transport: Transport): Promise<{ username: string; groups: string[]; extra?: object }> {
  const body = new TextEncoder().encode('{"kind":"SelfSubjectReview","apiVersion":"authentication.k8s.io/v1"}');
  const url = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  const response = await transport.send({ method: 'POST', url, headers: { 'content-type': 'application/json' }, body });
  const answer = JSON.parse(new TextDecoder().decode(await response.body.bytes()));
  return answer.status.userInfo ?? answer;
}

const get = async (transport: Transport, url = '/version'): Promise<string> =>
  new TextDecoder().decode(await (await transport.send({ method: 'GET', url, headers: {} })).body.bytes());

describe.each(['1.1', '2'] as const)('NodeTransport over TLS, HTTP/%s', (httpVersion) => {
  const open = (more: Partial<RestConfig>): Transport => {
    const all = { ...config(), ...more };
    return newTransport(all, new NodeTransport(all, { httpVersion, environment: {} }));
  };

  it('accepts only a certificate for the config’s server name', async () => {
    const right = open({ tls: { ca, serverName: 'kubernetes.default.svc' } });
    expect(await get(right)).toContain('gitVersion');
    await right.close();
    const wrong = open({ tls: { ca, serverName: 'other.example' } });
    await expect(get(wrong)).rejects.toMatchObject({
      name: 'TransportError',
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
      mayHaveBeenSent: false,
    });
  });

  it('tries the next address of a name when the first is unreachable', async () => {
    const lookup = vi.spyOn(dns, 'lookup');
    const found = [
      { address: '::1', family: 6 },
      { address: '127.0.0.1', family: 4 },
    ];
    lookup.mockImplementation(((_: string, __: object, done: (error: null, all: object) => void) =>
      done(null, found)) as never);
    const transport = open({ server: `https://kubernetes:${new URL(server.url!).port}` });
    expect(await get(transport)).toContain('gitVersion');
    expect(lookup).toHaveBeenCalledOnce();
    lookup.mockRestore();
    await transport.close();
  });

  it('trusts only the CA of the config, unless verification is disabled', async () => {
    await expect(get(open({ tls: {} }))).rejects.toMatchObject({ name: 'TransportError', mayHaveBeenSent: false });
    const insecure = open({ tls: { insecureSkipTlsVerify: true } });
    expect(await get(insecure)).toContain('gitVersion');
    await insecure.close();
    expect(() => open({ tls: { ca, insecureSkipTlsVerify: true } })).toThrow('not allowed');
  });

  it('opens new connections with a new client certificate, and keeps the old ones until they are idle', async () => {
    const other = {
      certificate: await readFile(join(directory, 'apiserver-kubelet-client.crt'), 'utf8'),
      key: await readFile(join(directory, 'apiserver-kubelet-client.key'), 'utf8'),
    };
    let current = clientCertificate;
    const transport = open({
      credentials: { current: async () => ({ clientCertificate: current }), refused: () => false },
    });
    const before = await whoAmI(transport);
    const watch = await transport.send({ method: 'GET', url: '/api/v1/namespaces?watch=true', headers: {} });
    current = other;
    const after = await whoAmI(transport);
    expect([before.username, after.username]).toEqual(['kubernetes-admin', 'kube-apiserver-kubelet-client']);
    for await (const chunk of watch.body.chunks()) {
      expect(new TextDecoder().decode(chunk)).toContain('ADDED');
      break;
    }
    await transport.close();
  });

  it('reads the CA again for every connection', async () => {
    const bundles = [await readFile(join(directory, 'front-proxy-ca.crt'), 'utf8'), ca];
    let reads = 0;
    const transport = open({ tls: { ca: async () => bundles[Math.min(reads++, 1)]! } });
    expect(await get(transport)).toContain('gitVersion');
    expect(reads).toBe(2);
    await transport.close();
  });

  it('reports a rejected credential, and tries another, once', async () => {
    const refused: unknown[] = [];
    const transport = open({
      credentials: {
        current: async () => ({ token: `wrong-${refused.length}` }),
        refused: (credential) => refused.push(credential) > 0,
      },
    });
    const response = await transport.send({ method: 'GET', url: '/api', headers: {} });
    expect(response.status).toBe(401);
    expect(refused).toEqual([{ token: 'wrong-0' }]);
    await transport.close();
  });

  it('sends impersonation headers', async () => {
    const extra = { 'example.com/a%b': ['1', '2'], plain: ['x y'] };
    const transport = open({ impersonate: { userName: 'jane', groups: ['dev', 'ops'], extra } });
    expect(await whoAmI(transport)).toEqual({
      username: 'jane',
      groups: ['dev', 'ops', 'system:authenticated'],
      extra,
    });
    await transport.close();
  });

  it('connects through an HTTP proxy with CONNECT', async () => {
    const asked: string[] = [];
    const proxy = createServer();
    proxy.on('connect', (request: IncomingMessage, socket: Socket) => {
      asked.push(`${request.url} ${request.headers['proxy-authorization']}`);
      const { port } = new URL(server.url!);
      const target = connect(Number(port), '127.0.0.1', () =>
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n'),
      );
      target.pipe(socket).pipe(target);
      target.on('error', () => socket.destroy());
      socket.on('error', () => target.destroy());
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const { port } = proxy.address() as AddressInfo;
    const transport = open({ proxyUrl: `http://me:p%40ss@127.0.0.1:${port}` });
    expect(await get(transport)).toContain('gitVersion');
    const basic = Buffer.from('me:p@ss').toString('base64');
    expect(asked).toEqual([`${new URL(server.url!).host} Basic ${basic}`]);
    await transport.close();
    proxy.close();
  });

  it('opens raw connections for other protocols, and closes them with the transport', async () => {
    const node = new NodeTransport(config(), { httpVersion });
    const socket = await node.connect({ clientCertificate });
    socket.write(`GET /version HTTP/1.1\r\nhost: x\r\n\r\n`);
    const [first] = await once(socket, 'data');
    expect(String(first)).toMatch(/^HTTP\/1\.1 200/);
    const closed = once(socket, 'close').catch(() => {});
    await node.close();
    await closed;
  });
});
