import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type KeyPair, makeCertificates } from './certificates.test-data.ts';
import { DialError, type DialRequest, type DialTarget, withLocalKubelets } from './dialer.ts';
import { closedPort, FakeServer } from './fake-server.test-data.ts';
import { SocketDialer, type SocketDialerOptions } from './socket-dialer.ts';

let ca: string;
let client: KeyPair;
let plain: FakeServer;
let secure: FakeServer;
const dialers: SocketDialer[] = [];

beforeAll(async () => {
  const certificates = await makeCertificates();
  ({ ca, client } = certificates);
  plain = await new FakeServer().start();
  secure = await new FakeServer({ ...certificates.server, ca }).start();
  secure.answer = (message, response) => {
    const { subject } = (message.socket as TLSSocket).getPeerCertificate();
    response.end(`hello ${subject?.CN ?? 'nobody'}`);
  };
});

afterAll(async () => {
  await plain.close();
  await secure.close();
});

afterEach(() => {
  for (const dialer of dialers.splice(0)) dialer.close();
  plain.answer = (_, response) => response.end('hello');
});

function newDialer(options?: SocketDialerOptions): SocketDialer {
  const dialer = new SocketDialer(options);
  dialers.push(dialer);
  return dialer;
}

const at = (port: number | string, more: Partial<DialTarget> = {}): DialTarget => ({
  scheme: 'http',
  host: '127.0.0.1',
  port: String(port),
  trust: 'none',
  ...more,
});
const kubeletAt = (port: number): DialTarget => at(port, { scheme: 'https', trust: 'kubelet', node: 'n' });
const never = new AbortController().signal;
const get = (more: Partial<DialRequest> = {}): DialRequest => ({
  method: 'GET',
  path: '/',
  headers: {},
  signal: never,
  ...more,
});

async function text(body: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** Returns a TCP server with an arbitrary connection handler. */
async function rawServer(onConnection: (socket: Socket) => void): Promise<Server> {
  const server = createServer((socket) => onConnection(socket.on('error', () => {}))).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
const portOf = (server: Server) => (server.address() as AddressInfo).port;

describe('TLS', () => {
  it('sends our client certificate to a kubelet, and verifies its certificate', async () => {
    const tls = { ca, ...client };
    const { body } = await newDialer({ kubeletTls: () => tls }).dial(kubeletAt(secure.port), get());
    expect(await text(body)).toBe('hello apiserver');
  });

  it('verifies a kubelet’s certificate by its address, not by the Host header', async () => {
    const tls = { ca, ...client };
    const headers = { host: 'api.example.com' };
    const { body } = await newDialer({ kubeletTls: () => tls }).dial(kubeletAt(secure.port), get({ headers }));
    expect(await text(body)).toBe('hello apiserver');
    await expect(
      newDialer({ kubeletTls: () => tls }).dial({ ...kubeletAt(secure.port), host: 'localhost' }, get()),
    ).rejects.toThrow('tls: failed to verify certificate: x509: certificate is not valid for localhost');
  });

  it('refuses a kubelet whose certificate is not from the configured CA', async () => {
    const tls = { ca: client.cert };
    await expect(newDialer({ kubeletTls: () => tls }).dial(kubeletAt(secure.port), get())).rejects.toThrow(
      new DialError('tls: failed to verify certificate: x509: certificate signed by unknown authority', false),
    );
  });

  it('accepts every kubelet without a CA, or when the client requests it', async () => {
    expect(await text((await newDialer().dial(kubeletAt(secure.port), get())).body)).toBe('hello nobody');
    const tls = { ...client, ca: client.cert };
    const lenient: DialTarget = { ...kubeletAt(secure.port), trust: 'kubelet-unverified' };
    expect(await text((await newDialer({ kubeletTls: () => tls }).dial(lenient, get())).body)).toBe('hello apiserver');
  });

  it('does not send our certificate to other servers', async () => {
    const tls = { ca, ...client };
    const dialer = newDialer({ kubeletTls: () => tls });
    expect(await text((await dialer.dial(at(secure.port, { scheme: 'https' }), get())).body)).toBe('hello nobody');
  });

  it('uses a renewed certificate', async () => {
    let tls: { ca: string } | ({ ca: string } & KeyPair) = { ca };
    const dialer = newDialer({ kubeletTls: () => tls });
    expect(await text((await dialer.dial(kubeletAt(secure.port), get())).body)).toBe('hello nobody');
    tls = { ca, ...client };
    expect(await text((await dialer.dial(kubeletAt(secure.port), get())).body)).toBe('hello apiserver');
  });
});

describe('connections', () => {
  it('are reused for the next request', async () => {
    const dialer = newDialer();
    const before = plain.connections;
    for (let i = 0; i < 3; i++) await text((await dialer.dial(at(plain.port), get())).body);
    expect(plain.connections - before).toBe(1);
  });

  it('are new for requests that cannot be repeated', async () => {
    const dialer = newDialer();
    const before = plain.connections;
    for (const method of ['GET', 'POST', 'GET', 'DELETE'])
      await text((await dialer.dial(at(plain.port), get({ method }))).body);
    expect(plain.connections - before).toBe(3);
  });

  it('are limited in number', async () => {
    const dialer = newDialer({ maxConnectionsPerHost: 2 });
    const before = plain.connections;
    await Promise.all(Array.from({ length: 6 }, async () => text((await dialer.dial(at(plain.port), get())).body)));
    expect(plain.connections - before).toBe(2);
  });

  it('that were closed meanwhile are replaced', async () => {
    let served = 0;
    const server = await rawServer((socket) => {
      // The connection is closed before its second request.
      socket.once('data', () => {
        served++;
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
        socket.once('data', () => socket.destroy());
      });
    });
    const dialer = newDialer();
    for (let i = 0; i < 3; i++) expect(await text((await dialer.dial(at(portOf(server)), get())).body)).toBe('ok');
    expect(served).toBe(3);
    server.close();
  });

  it('are closed when the request is aborted', async () => {
    const controller = new AbortController();
    const reached = new Promise<void>((resolve) => {
      plain.answer = () => resolve();
    });
    const dialed = newDialer().dial(at(plain.port), get({ signal: controller.signal }));
    await reached;
    controller.abort(new Error('client gone'));
    await expect(dialed).rejects.toThrow('client gone');
    await plain.drained();
    expect(plain.sockets.size).toBe(0);
  });

  it('are closed when reading the body is aborted', async () => {
    const controller = new AbortController();
    plain.answer = (_, response) => response.write('some');
    const { body } = await newDialer().dial(at(plain.port), get({ signal: controller.signal }));
    body.on('error', () => {});
    controller.abort();
    await plain.drained();
    expect(plain.sockets.size).toBe(0);
  });

  it('are closed with the dialer, also upgraded ones', async () => {
    const dialer = newDialer();
    plain.upgrade = (_, socket) =>
      socket
        .once('end', () => socket.end())
        .resume()
        .write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n');
    await text((await dialer.dial(at(plain.port), get())).body);
    const headers = { connection: 'Upgrade', upgrade: 'x' };
    const { status, connection } = await dialer.dial(at(plain.port), get({ upgrade: true, headers }));
    expect([status, connection?.destroyed]).toEqual([101, false]);
    dialer.close();
    await plain.drained();
    expect(plain.sockets.size).toBe(0);
  });

  it('are not opened for a client that has disconnected', async () => {
    const before = plain.connections;
    await expect(
      newDialer().dial(at(plain.port), get({ signal: AbortSignal.abort(new Error('gone')) })),
    ).rejects.toThrow('gone');
    expect(plain.connections).toBe(before);
  });
});

describe('a body', () => {
  it('that fails aborts the request', async () => {
    plain.answer = (message) => message.resume();
    async function* body() {
      yield Buffer.from('half');
      throw new Error('the client left');
    }
    await expect(newDialer().dial(at(plain.port), get({ method: 'POST', body: body() }))).rejects.toThrow(
      'the client left',
    );
  });
});

describe('errors', () => {
  it('for a header that cannot be sent', async () => {
    await expect(newDialer().dial(at(plain.port), get({ headers: { 'x-a': '\n' } }))).rejects.toThrow(DialError);
  });

  it('for a port on which nothing listens', async () => {
    const port = await closedPort();
    const error = new DialError(`dial tcp 127.0.0.1:${port}: connect: connection refused`, false);
    await expect(newDialer().dial(at(port), get())).rejects.toThrow(error);
    await expect(newDialer().dial(kubeletAt(port), get())).rejects.toThrow(error);
  });

  it.each([
    ['0', 'dial tcp 127.0.0.1:0: connect: connection refused'],
    ['99999', 'dial tcp: address 99999: invalid port'],
    ['xx', 'dial tcp: lookup tcp/xx: unknown port'],
    ['__proto__', 'dial tcp: lookup tcp/__proto__: unknown port'],
  ])('for port %s', async (port, message) => {
    await expect(newDialer().dial(at(port), get())).rejects.toThrow(new DialError(message, false));
  });

  it('for an unknown host name', async () => {
    await expect(newDialer().dial(at(80, { host: 'nowhere.invalid' }), get())).rejects.toThrow(
      /^dial tcp: lookup nowhere\.invalid: (no such host|Temporary failure in name resolution)$/,
    );
  });

  it('for a handshake that takes too long', async () => {
    const server = await rawServer(() => {});
    await expect(newDialer({ handshakeTimeoutMs: 1 }).dial(kubeletAt(portOf(server)), get())).rejects.toThrow(
      new DialError('net/http: TLS handshake timeout', false),
    );
    server.close();
  });

  it('for HTTP where TLS was expected', async () => {
    const server = await rawServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    await expect(newDialer().dial(kubeletAt(portOf(server)), get())).rejects.toThrow(
      new DialError('http: server gave HTTP response to HTTPS client', false),
    );
    server.close();
  });

  it('for a connection closed before the response', async () => {
    const server = await rawServer((socket) => socket.once('data', () => socket.end()));
    await expect(newDialer().dial(at(portOf(server)), get())).rejects.toThrow(new DialError('EOF', true));
    server.close();
  });
});

describe('withLocalKubelets', () => {
  it('calls the kubelets of this process, and dials all others', async () => {
    const calls: string[] = [];
    const named = (name: string) => ({
      dial: async (target: DialTarget) => {
        calls.push(`${name} ${target.node}`);
        throw new DialError('enough', false);
      },
    });
    const dialer = withLocalKubelets((node) => (node === 'near' ? named('local') : undefined), named('socket'));
    for (const node of ['near', 'far', undefined])
      await dialer.dial(at(1, node === undefined ? {} : { node }), get()).catch(() => {});
    expect(calls).toEqual(['local near', 'socket far', 'socket undefined']);
    expect(['near', 'far'].map((node) => dialer.isLocal?.(at(1, { node })))).toEqual([true, false]);
  });
});

describe('refused addresses', () => {
  /** Returns a dialer that refuses the address, and resolves these names. */
  function refusing(refused: string, names: Readonly<Record<string, readonly string[]>> = {}): SocketDialer {
    const dialer = newDialer({
      kubeletTls: () => ({ ...client }),
      lookup: (name, { all }, callback) => {
        const found = (names[name] ?? []).map((address) => ({ address, family: 4 }));
        if (all) callback(null, found);
        else callback(null, found[0]?.address ?? '', 4);
      },
    });
    dialer.refuse((address, port) => address === refused && port === secure.port);
    return dialer;
  }
  const kubelet = (host: string): DialTarget => ({ ...kubeletAt(secure.port), host });
  const told = (address: string) => new DialError(`dial tcp ${address}:${secure.port}: address not allowed`, false);

  it('are not dialed as kubelets', async () => {
    const dialer = refusing('127.0.0.2');
    await expect(dialer.dial(kubelet('127.0.0.2'), get())).rejects.toThrow(told('127.0.0.2'));
    const unverified = { ...kubelet('127.0.0.2'), trust: 'kubelet-unverified' } as const;
    await expect(dialer.dial(unverified, get())).rejects.toThrow(told('127.0.0.2'));
    expect((await dialer.dial(kubelet('127.0.0.1'), get())).status).toBe(200);
  });

  it('are detected when a name resolves to one of them', async () => {
    const names = { self: ['127.0.0.2'], both: ['127.0.0.1', '127.0.0.2'], other: ['127.0.0.1'] };
    const dialer = refusing('127.0.0.2', names);
    await expect(dialer.dial(kubelet('self'), get())).rejects.toThrow(told('127.0.0.2'));
    await expect(dialer.dial(kubelet('both'), get())).rejects.toThrow(told('127.0.0.2'));
    expect((await dialer.dial(kubelet('other'), get())).status).toBe(200);
  });

  it('may be dialed without our client certificate', async () => {
    const target: DialTarget = { ...kubelet('127.0.0.1'), trust: 'none' };
    const { node: _, ...anything } = target;
    expect((await refusing('127.0.0.1').dial(anything, get())).status).toBe(200);
  });
});
