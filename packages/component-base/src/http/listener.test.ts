import { connect as connectHttp2 } from 'node:http2';
import { Agent, request as httpsRequest } from 'node:https';
import { issueKeyPair } from '@coxswain/client/x509';
import { afterEach, describe, expect, it } from 'vitest';
import type { ApiHandler, ApiRequest, ApiResponse } from './handler.ts';
import { Listener } from './listener.ts';

const validity = { notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + 3_600_000) };
const authority = issueKeyPair({ commonName: 'ca', isCA: true, ...validity });
const serving = issueKeyPair(
  { commonName: 'test', usages: ['serverAuth'], dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'], ...validity },
  authority,
);
const admin = issueKeyPair({ commonName: 'admin', usages: ['clientAuth'], ...validity }, authority);
let listener: Listener;

async function serve(handler: ApiHandler): Promise<number> {
  const { certificatePem: cert, keyPem: key } = serving;
  listener = new Listener({ host: '127.0.0.1', port: 0, tls: { cert, key }, handler });
  return (await listener.listen()).port;
}

afterEach(async () => {
  const closed = listener.close();
  listener.force();
  await closed;
});

interface Answer {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly body: string;
}

interface Ask {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string | string[]>;
  readonly body?: Buffer;
}

const clientTls = () => ({
  ca: authority.certificatePem,
  cert: admin.certificatePem,
  key: admin.keyPem,
});

function overHttp1(port: number, { method = 'GET', path = '/', headers = {}, body }: Ask): Promise<Answer> {
  const agent = new Agent();
  return new Promise((resolve, reject) => {
    const sent = httpsRequest({ host: '127.0.0.1', port, method, path, headers, agent, ...clientTls() }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => {
        agent.destroy();
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString(),
        });
      });
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function overHttp2(port: number, { method = 'GET', path = '/', headers = {}, body }: Ask): Promise<Answer> {
  const session = connectHttp2(`https://127.0.0.1:${port}`, clientTls());
  return new Promise((resolve, reject) => {
    session.on('error', reject);
    const stream = session.request({ ':method': method, ':path': path, ...headers });
    let head: Record<string, unknown> = {};
    const chunks: Buffer[] = [];
    stream.on('response', (received) => {
      head = received;
    });
    stream.on('data', (chunk) => chunks.push(chunk));
    stream.on('end', () => {
      session.close();
      resolve({ status: Number(head[':status']), headers: head, body: Buffer.concat(chunks).toString() });
    });
    stream.on('error', reject);
    stream.end(body);
  });
}

const text = (body: string, status = 200): ApiResponse => ({ status, headers: {}, body: Buffer.from(body) });

describe.each([
  ['HTTP/1.1', overHttp1],
  ['HTTP/2.0', overHttp2],
] as const)('over %s', (protocol, ask) => {
  it('passes method, path, query, headers and body to the handler, and returns its response', async () => {
    let seen: ApiRequest | undefined;
    let body = '';
    const port = await serve(async (request) => {
      seen = request;
      body = Buffer.from(await request.readBody(100)).toString();
      return { status: 201, headers: { 'x-answer': 'yes' }, body: [Buffer.from('in two '), Buffer.from('parts')] };
    });
    const headers = { 'x-asked': 'why', 'impersonate-group': ['a', 'b,c'] };
    const answer = await ask(port, { method: 'POST', path: '/a%20b?c=d', headers, body: Buffer.from('hello') });
    expect(answer).toMatchObject({ status: 201, body: 'in two parts' });
    expect(answer.headers['x-answer']).toBe('yes');
    expect(String(answer.headers['content-length'])).toBe('12');
    expect(body).toBe('hello');
    expect(seen).toMatchObject({ method: 'POST', path: '/a%20b', search: 'c=d' });
    expect(seen?.headers['x-asked']).toBe('why');
    expect(seen?.headers['impersonate-group']).toEqual(['a', 'b,c']);
    expect(seen?.connection).toMatchObject({ protocol, remoteAddress: '127.0.0.1' });
  });

  it('provides the client certificate, read once per connection', async () => {
    const shown: (readonly Uint8Array[])[] = [];
    const port = await serve(async ({ connection }) => {
      shown.push(connection.clientCertificates, connection.clientCertificates);
      return text('ok');
    });
    await ask(port, {});
    expect(Buffer.from(shown[0]![0]!).equals(admin.certificate.x509.raw)).toBe(true);
    expect(shown[1]).toBe(shown[0]);
  });

  it('refuses a body that is too long with a response that the client can read', async () => {
    const port = await serve(async (request) => {
      try {
        await request.readBody(1000);
        return text('read');
      } catch (error) {
        return text(String(error), 413);
      }
    });
    const answer = await ask(port, { method: 'POST', body: Buffer.alloc(200_000) });
    expect(answer).toMatchObject({ status: 413, body: 'ApiError: Request entity too large: limit is 1000' });
  });

  it('streams a response, and waits for a slow client', async () => {
    let refusals = 0;
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const port = await serve(async () => ({
      status: 200,
      headers: {},
      body: {
        stream: (sink) => {
          let left = 100;
          const pour = (): void => {
            while (left > 0) {
              left--;
              if (!sink.write(chunk)) {
                refusals++;
                return;
              }
            }
            sink.end();
          };
          sink.onDrain(pour);
          pour();
        },
      },
    }));
    expect((await ask(port, {})).body).toHaveLength(100 * chunk.length);
    expect(refusals).toBeGreaterThan(0);
  });

  it('aborts the signal when the client disconnects', async () => {
    let aborted: (() => void) | undefined;
    const gone = new Promise<void>((resolve) => {
      aborted = resolve;
    });
    const port = await serve(async ({ signal }) => {
      signal.addEventListener('abort', () => aborted?.());
      return { status: 200, headers: {}, body: { stream: (sink) => sink.write(Buffer.from('first')) } };
    });
    if (protocol === 'HTTP/2.0') {
      const session = connectHttp2(`https://127.0.0.1:${port}`, clientTls());
      const stream = session.request({ ':path': '/' });
      stream.on('data', () => stream.close(8));
      stream.on('error', () => {});
      await gone;
      session.close();
    } else {
      const sent = httpsRequest({ host: '127.0.0.1', port, agent: new Agent(), ...clientTls() }, (response) => {
        response.on('data', () => sent.destroy());
        response.on('error', () => {});
      });
      sent.on('error', () => {});
      sent.end();
      await gone;
    }
    expect.assertions(0);
  });

  it('sends no body to HEAD, but its length', async () => {
    const port = await serve(async () => text('body'));
    const answer = { status: 200, body: '', headers: { 'content-length': '4' } };
    expect(await ask(port, { method: 'HEAD' })).toMatchObject(answer);
  });
});

it('reads headers of HTTP/1.1 as UTF-8', async () => {
  let seen: ApiRequest['headers'] = {};
  const port = await serve(async ({ headers }) => {
    seen = headers;
    return { status: 200, headers: {} };
  });
  const bytes = (text: string): string => Buffer.from(text).toString('latin1');
  await overHttp1(port, { headers: { 'impersonate-user': bytes('Jörg'), 'impersonate-group': [bytes('käse'), 'b'] } });
  expect(seen['impersonate-user']).toBe('Jörg');
  expect(seen['impersonate-group']).toEqual(['käse', 'b']);
});

describe('an upgrade', () => {
  it('hands the connection over', async () => {
    const port = await serve(async () => ({
      status: 101,
      headers: {},
      body: {
        upgrade: (socket) => {
          socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n');
          socket.pipe(socket);
        },
      },
    }));
    const echoed = await new Promise<string>((resolve, reject) => {
      const headers = { connection: 'Upgrade', upgrade: 'echo' };
      const sent = httpsRequest({ host: '127.0.0.1', port, headers, agent: new Agent(), ...clientTls() });
      sent.on('upgrade', (_, socket) => {
        socket.once('data', (data) => {
          socket.destroy();
          resolve(String(data));
        });
        socket.write('hello');
      });
      sent.on('error', reject);
      sent.end();
    });
    expect(echoed).toBe('hello');
  });

  it('that is refused gets an ordinary response', async () => {
    const port = await serve(async () => text('no', 400));
    const answer = await overHttp1(port, { headers: { connection: 'Upgrade', upgrade: 'echo' } });
    expect(answer).toMatchObject({ status: 400, body: 'no' });
  });
});

describe('closing', () => {
  it('lets requests in progress finish', async () => {
    let finish: (() => void) | undefined;
    const port = await serve(async () => {
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      return text('done');
    });
    const answer = overHttp2(port, {});
    while (!finish) await new Promise((resolve) => setImmediate(resolve));
    const closed = listener.close();
    finish();
    expect((await answer).body).toBe('done');
    await closed;
    await expect(overHttp1(port, {})).rejects.toThrow('ECONNREFUSED');
  });
});

it('serves plain HTTP without TLS, without client certificates', async () => {
  listener = new Listener({
    host: '127.0.0.1',
    port: 0,
    handler: async ({ path, connection: { protocol, remoteAddress, clientCertificates } }) => ({
      status: 200,
      headers: {},
      body: Buffer.from(JSON.stringify([path, protocol, remoteAddress, clientCertificates])),
    }),
  });
  const { port } = await listener.listen();
  const answer = await fetch(`http://127.0.0.1:${port}/some?thing`);
  expect(await answer.json()).toEqual(['/some', 'HTTP/1.1', '127.0.0.1', []]);
  expect(() => listener.setCertificate({ cert: '', key: '' })).toThrow('the port does not use TLS');
});
