import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { issueKeyPair } from '@coxswain/client/x509';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ConnectionPool } from './connection-pool.ts';
import { HttpsWebhookClient, type WebhookCallError } from './index.ts';
import { authority, base64, certificates, TestServer } from './tls-server.test-data.ts';
import type { WebhookCallOptions } from './webhook-client.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  vi.restoreAllMocks();
});

function newClient(): HttpsWebhookClient {
  const resolveService = (): { host: string; port: number } => ({ host: '127.0.0.1', port: servicePort });
  const client = new HttpsWebhookClient({ resolveService, userAgent: 'test', now: () => new Date() });
  closing.push(() => client.close());
  return client;
}
let servicePort = 0;

async function started(server: TestServer): Promise<TestServer> {
  await server.start();
  closing.push(() => server.close());
  return server;
}

const answering: RequestListener = (request, response) => {
  request.resume();
  request.on('end', () => response.end('{"kind":"Answer"}'));
};
const bundle = base64(authority.certificatePem);
const at = (server: TestServer, host = '127.0.0.1') => ({ url: `https://${host}:${server.port}/x`, caBundle: bundle });
const inTime: WebhookCallOptions = { timeoutMs: 10_000 };

const failing = async (call: Promise<unknown>): Promise<Pick<WebhookCallError, 'message' | 'failure'>> => {
  const error = await call.then(
    () => undefined,
    (thrown: WebhookCallError) => thrown,
  );
  if (!error) throw new Error('the call did not fail');
  return error;
};

describe('calls', () => {
  it('post JSON and return the response', async () => {
    let asked: unknown;
    const server = await started(
      TestServer.https(async (request, response) => {
        let text = '';
        for await (const chunk of request) text += String(chunk);
        asked = {
          url: request.url,
          method: request.method,
          agent: request.headers['user-agent'],
          body: JSON.parse(text),
        };
        response.end('{"a":[1]}');
      }),
    );
    expect(await newClient().call(at(server), { q: 1 }, { timeoutMs: 1_500 })).toEqual({ a: [1] });
    expect(asked).toEqual({ url: '/x?timeout=2s', method: 'POST', agent: 'test', body: { q: 1 } });
  });

  it.each([
    ['//x', '/x'],
    ['/a//b/../c/', '/a/c'],
    ['', '/'],
    ['/', '/'],
  ])('request a clean path: %j', async (path, asked) => {
    const paths: (string | undefined)[] = [];
    const server = await started(
      TestServer.https((request, response) => {
        paths.push(request.url);
        answering(request, response);
      }),
    );
    servicePort = server.port;
    const client = newClient();
    await client.call({ url: `https://127.0.0.1:${server.port}${path}`, caBundle: bundle }, {}, { timeoutMs: 10_000 });
    const service = { namespace: 'ns', name: 'hook', path };
    await client.call({ service, caBundle: bundle }, {}, { timeoutMs: 10_000 });
    expect(paths).toEqual([`${asked}?timeout=10s`, `${asked}?timeout=10s`]);
  });

  it('reuse connections', async () => {
    const server = await started(TestServer.https(answering));
    const client = newClient();
    for (let i = 0; i < 10; i++) await client.call(at(server), {}, inTime);
    expect(server.connections).toBe(1);
  });

  it('do not share connections between CAs', async () => {
    const server = await started(TestServer.https(answering));
    const client = newClient();
    await client.call(at(server), {}, inTime);
    const { message } = await failing(client.call({ url: at(server).url }, {}, inTime));
    expect(message).toContain('x509: certificate signed by unknown authority');
  });

  it('use a limited number of connections, and all complete', async () => {
    const waiting: (() => void)[] = [];
    const server = await started(
      TestServer.https((_, response) => {
        waiting.push(() => response.end('{}'));
        if (waiting.length >= 4) for (const answer of waiting.splice(0)) answer();
      }),
    );
    const pool = new ConnectionPool({
      address: async () => ({ host: '127.0.0.1', port: server.port }),
      serverName: '127.0.0.1',
      ca: authority.certificatePem,
      now: () => new Date(),
      maxConcurrent: 4,
    });
    closing.push(() => pool.close());
    const { signal } = new AbortController();
    const exchange = { method: 'POST', path: '/', headers: {}, body: Buffer.from('{}'), signal } as const;
    const answers = await Promise.all(Array.from({ length: 40 }, () => pool.send(exchange)));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 40 }, () => 200));
    expect(server.most).toBeLessThanOrEqual(4);
  });

  it('verify the certificate of a service by its name, whatever its address', async () => {
    let name: unknown;
    const server = await started(
      TestServer.https((request, response) => {
        name = [(request.socket as TLSSocket & { servername?: string }).servername, request.headers.host];
        response.end('{}');
      }),
    );
    servicePort = server.port;
    const service = { namespace: 'ns', name: 'hook', path: '/p' };
    await newClient().call({ service, caBundle: bundle }, {}, inTime);
    expect(name).toEqual(['hook.ns.svc', 'hook.ns.svc:443']);
  });

  it('are retried once when an idle connection was closed', async () => {
    const seen = new Set<Socket>();
    const server = await started(
      TestServer.https((request, response) => {
        if (seen.has(request.socket)) request.socket.destroy();
        else response.end('{}');
        seen.add(request.socket);
      }),
    );
    const client = newClient();
    await client.call(at(server), {}, inTime);
    const now = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => now() + 5_000);
    expect(await client.call(at(server), {}, inTime)).toEqual({});
    expect(server.connections).toBe(2);
  });

  it('fail when the client is closed', async () => {
    const server = await started(TestServer.https(answering));
    const client = newClient();
    await client.call(at(server), {}, inTime);
    const [socket] = server.sockets;
    client.close();
    await new Promise((resolve) => socket!.once('close', resolve));
    expect(server.sockets.size).toBe(0);
  });

  it('send credentials', async () => {
    const pair = issueKeyPair(
      {
        commonName: 'caller',
        usages: ['clientAuth'],
        notBefore: new Date(Date.now() - 60_000),
        notAfter: new Date(Date.now() + 60_000),
      },
      authority,
    );
    let shown: unknown;
    const server = await started(
      TestServer.https(
        (request, response) => {
          shown = [(request.socket as TLSSocket).getPeerCertificate().subject.CN, request.headers.authorization];
          response.end('{}');
        },
        certificates.good,
        authority.certificatePem,
      ),
    );
    const clientCertificate = { cert: pair.certificatePem, key: pair.keyPem };
    const credentials = (name: string) =>
      name === `127.0.0.1:${server.port}` ? { clientCertificate, token: 't' } : {};
    await newClient().call(at(server), {}, { ...inTime, credentials });
    expect(shown).toEqual(['caller', 'Bearer t']);
  });
});

describe('certificate errors have Go’s messages', () => {
  const day = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g;
  it.each<[keyof typeof certificates, string, string]>([
    [
      'byAnImpostor',
      '127.0.0.1',
      'x509: certificate signed by unknown authority (possibly because of "x509: ECDSA verification failure" while trying to verify candidate authority certificate "webhook-ca")',
    ],
    ['ofItsOwn', '127.0.0.1', 'x509: certificate signed by unknown authority'],
    ['expired', '127.0.0.1', 'x509: certificate has expired or is not yet valid: current time {} is after {}'],
    ['tooEarly', '127.0.0.1', 'x509: certificate has expired or is not yet valid: current time {} is before {}'],
    [
      'withoutAddress',
      '127.0.0.1',
      "x509: cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs",
    ],
    ['withoutAddress', 'localhost', 'x509: certificate is valid for a.example, b.example, not localhost'],
    ['ofOtherAddresses', '127.0.0.1', 'x509: certificate is valid for 10.0.0.1, 10.0.0.2, not 127.0.0.1'],
    ['ofOtherAddresses', 'localhost', 'x509: certificate is not valid for any names, but wanted to match localhost'],
    ['withoutNames', 'localhost', 'x509: certificate relies on legacy Common Name field, use SANs instead'],
    ['forClients', '127.0.0.1', 'x509: certificate specifies an incompatible key usage'],
  ])('%s at %s', async (name, host, problem) => {
    let reached = false;
    const listener: RequestListener = () => {
      reached = true;
    };
    const server = await started(TestServer.https(listener, certificates[name]));
    const { message } = await failing(newClient().call(at(server, host), {}, inTime));
    const prefix = `Post "https://${host}:${server.port}/x?timeout=10s": tls: failed to verify certificate: `;
    expect(message.replace(day, '{}')).toBe(prefix + problem);
    expect(reached).toBe(false);
  });

  it('accepts a self-signed certificate that is trusted itself', async () => {
    const server = await started(TestServer.https(answering, certificates.ofItsOwn));
    const caBundle = base64(certificates.ofItsOwn.certificatePem);
    expect(await newClient().call({ ...at(server), caBundle }, {}, inTime)).toEqual({ kind: 'Answer' });
  });
});

describe('a misbehaving server', () => {
  const post = (server: TestServer): string => `Post "https://127.0.0.1:${server.port}/x?timeout=1s": `;

  it.each<[string, (socket: Socket) => void, string]>([
    ['closes the connection', (socket) => socket.end(), 'EOF'],
    ['closes the connection during the handshake', (socket) => socket.once('data', () => socket.destroy()), 'EOF'],
    [
      'speaks HTTP',
      (socket) => socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n')),
      'http: server gave HTTP response to HTTPS client',
    ],
  ])('%s', async (_, listener, problem) => {
    const server = await started(TestServer.tcp(listener));
    const error = await failing(newClient().call(at(server), {}, { timeoutMs: 1_000 }));
    expect(error).toMatchObject({ message: post(server) + problem, failure: 'network' });
  });

  it('never finishes the handshake', async () => {
    const server = await started(TestServer.tcp(() => {}));
    const error = await failing(newClient().call(at(server), {}, { timeoutMs: 100 }));
    expect(error).toMatchObject({ message: `${post(server)}context deadline exceeded`, failure: 'deadline' });
  });

  it('never responds, and the caller aborts', async () => {
    const gone = new AbortController();
    const server = await started(TestServer.https(() => gone.abort()));
    const error = await failing(newClient().call(at(server), {}, { timeoutMs: 1_000, signal: gone.signal }));
    expect(error).toMatchObject({ message: `${post(server)}context canceled`, failure: 'canceled' });
  });

  it('sends an endless response', async () => {
    const megabyte = Buffer.alloc(1 << 20, 'x');
    const server = await started(
      TestServer.https((_, response) => {
        const more = (): void => {
          while (!response.destroyed && response.write(megabyte));
        };
        response.on('drain', more);
        more();
      }),
    );
    const { message } = await failing(newClient().call(at(server), {}, inTime));
    expect(message).toBe(
      'unexpected error when reading response body. Please retry. Original error: the answer is longer than 8388608 bytes',
    );
  });

  it('sends a Retry-After beyond the timeout', async () => {
    const server = await started(
      TestServer.https((_, response) => response.writeHead(503, { 'retry-after': '3600' }).end()),
    );
    const { message } = await failing(newClient().call(at(server), {}, { timeoutMs: 100 }));
    expect(message).toBe(`${post(server)}context deadline exceeded`);
  });

  it('does not affect calls of other servers', async () => {
    const [bad, good] = [await started(TestServer.tcp(() => {})), await started(TestServer.https(answering))];
    const client = newClient();
    const hanging = Array.from({ length: 50 }, () => failing(client.call(at(bad), {}, { timeoutMs: 300 })));
    expect(await client.call(at(good), {}, inTime)).toEqual({ kind: 'Answer' });
    for (const { failure } of await Promise.all(hanging)) expect(failure).toBe('deadline');
  });
});

describe('invalid configurations', () => {
  it.each([
    [{}, 'webhook configuration must have either service or URL'],
    [{ url: 'https://[' }, 'Unparsable URL: https://['],
  ])('%j', async (config, message) => {
    expect(await failing(newClient().call(config, {}, inTime))).toMatchObject({ message, failure: 'configuration' });
  });
});
