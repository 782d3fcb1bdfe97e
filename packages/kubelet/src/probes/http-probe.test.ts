import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import type { HTTPGetAction } from '@coxswain/api/core/v1';
import { FakeClock } from '@coxswain/client';
import { afterEach, describe, expect, it } from 'vitest';
import { TestServers } from '../actions/test-servers.test-data.ts';
import { probeOnce } from './probing.test-data.ts';

const servers = new TestServers();
const ends: (() => unknown)[] = [];
afterEach(() => {
  servers.close();
  for (const end of ends.splice(0)) end();
});

const probeHttp = (httpGet: HTTPGetAction) => probeOnce({ probe: { httpGet } });
const says =
  (text: string): ((socket: Socket) => void) =>
  (socket) =>
    socket.end(text);
const ok = 'HTTP/1.1 200 OK\r\n';

describe('an HTTP probe', () => {
  const statuses: Record<string, [number, string, string]> = {
    'passes with 200': [200, 'Success', 'the body'],
    'passes with 299': [299, 'Success', 'the body'],
    'warns of a 304': [304, 'Warning', 'Probe terminated redirects, Response body: '],
    'warns of a redirect to nowhere': [302, 'Warning', 'Probe terminated redirects, Response body: the body'],
    'fails with 400': [400, 'Failure', 'HTTP probe failed with statuscode: 400'],
    'fails with 500, and does not tell the body': [500, 'Failure', 'HTTP probe failed with statuscode: 500'],
  };
  it.each(Object.entries(statuses))('%s', async (_, [status, outcome, output]) => {
    const port = await servers.http((_request, response) => response.writeHead(status).end('the body'));
    expect(await probeHttp({ port, path: '/' })).toEqual({ outcome, output });
  });

  const headers: Record<string, [Omit<HTTPGetAction, 'port'>, (port: number) => string[]]> = {
    'says who it is': [
      { path: '/x' },
      (port) => [`Host: 127.0.0.1:${port}`, 'User-Agent: kube-probe/1.36', 'Accept: */*', 'Connection: close'],
    ],
    'has headers of the pod, each as often as it is given': [
      {
        httpHeaders: [
          { name: 'x-a', value: '1' },
          { name: 'X-A', value: 'zwölf' },
          { name: 'host', value: 'shop.example' },
          { name: 'user-agent', value: 'me' },
          { name: 'Accept', value: 'text/html' },
          { name: 'Content-Length', value: '99' },
        ],
      },
      () => ['Host: shop.example', 'User-Agent: me', 'Accept: text/html', 'X-A: 1', 'X-A: zwölf', 'Connection: close'],
    ],
    'leaves out what the pod gives empty': [
      {
        httpHeaders: [
          { name: 'Accept', value: '' },
          { name: 'User-Agent', value: '' },
        ],
      },
      (port) => [`Host: 127.0.0.1:${port}`, 'Connection: close'],
    ],
  };
  it.each(Object.entries(headers))('%s', async (_, [action, expected]) => {
    let seen = '';
    const port = await servers.answering((socket, request) => {
      seen = request;
      socket.end(`${ok}\r\n`);
    });
    await probeHttp({ port, ...action });
    const [, ...lines] = Buffer.from(seen, 'latin1').toString().trim().split('\r\n');
    expect(lines).toEqual(expected(port));
  });

  it('asks at a host of its own, at a port by its name, without verifying a certificate', async () => {
    let url: string | undefined;
    const port = await servers.https(({ url: asked }, response) => {
      url = asked;
      response.end('secure');
    });
    const httpGet = { host: 'localhost', port: 'web', path: '/deep?x=1', scheme: 'HTTPS' as const };
    const container = { ports: [{ name: 'web', containerPort: port }] };
    const result = await probeOnce({ probe: { httpGet }, container, podIP: '192.0.2.1' });
    expect(result).toEqual({ outcome: 'Success', output: 'secure' });
    expect(url).toBe('/deep?x=1');
  });

  it('reads 10 KB of an endless body, and closes the connection', async () => {
    let closed: Promise<void> | undefined;
    const port = await servers.http((request, response) => {
      closed = new Promise((resolve) => request.socket.once('close', () => resolve()));
      const write = (): void => {
        while (response.write('x'.repeat(1000)) && !response.destroyed);
      };
      response.on('drain', write);
      write();
    });
    const { outcome, output } = await probeHttp({ port });
    expect([outcome, output.length]).toEqual(['Success', 10_240]);
    await closed;
  });

  const redirects: Record<string, [(port: number) => string, string, string]> = {
    'follows a redirect on the same host': [() => '/end', 'Success', 'end'],
    'follows a redirect to another path by its URL': [(port) => `http://127.0.0.1:${port}/end`, 'Success', 'end'],
    'warns of a redirect to another host': [
      () => 'http://other.example/',
      'Warning',
      'Probe terminated redirects, Response body: moved',
    ],
    'gives up after ten redirects': [() => '/?x=1', 'Failure', 'Get "/?x=1": stopped after 10 redirects'],
    'knows no other schemes': [
      () => 'ftp://127.0.0.1/x',
      'Failure',
      'Get "ftp://127.0.0.1/x": unsupported protocol scheme "ftp"',
    ],
    'fails with what is no URL': [
      () => 'http://[::1',
      'Failure',
      'Get "http://127.0.0.1:PORT/": failed to parse Location header "http://[::1": parse "http://[::1": invalid URL',
    ],
  };
  it.each(Object.entries(redirects))('%s', async (_, [location, outcome, output]) => {
    let port = 0;
    const handler: RequestListener = ({ url }, response) => {
      if (url === '/end') response.end('end');
      else response.writeHead(302, { location: location(port) }).end('moved');
    };
    port = await servers.http(handler);
    expect(await probeHttp({ port, path: '/' })).toEqual({ outcome, output: output.replace('PORT', String(port)) });
  });

  it('keeps the virtual host and says where it comes from when it is redirected', async () => {
    let last: IncomingMessage['headers'] = {};
    const port = await servers.http((request, response) => {
      last = request.headers;
      if (request.url === '/') response.writeHead(307, { location: 'next' });
      response.end();
    });
    await probeHttp({ port, path: '/', httpHeaders: [{ name: 'Host', value: 'shop.example' }] });
    expect(last).toMatchObject({ host: 'shop.example', referer: `http://127.0.0.1:${port}/` });
  });
});

describe('an HTTP probe fails with Go’s words', () => {
  const broken = 'net/http: HTTP/1.x transport connection broken:';
  const cases: Record<string, [(socket: Socket) => void, string]> = {
    'when the server resets the connection': [
      (socket) => socket.resetAndDestroy(),
      'read tcp 127.0.0.1:LOCAL->127.0.0.1:PORT: read: connection reset by peer',
    ],
    'when the server closes the connection': [(socket) => socket.destroy(), 'EOF'],
    'when the server closes it within the headers': [says(`${ok}A: b\r\n`), `${broken} unexpected EOF`],
    'when the answer is no HTTP': [says('hello\r\n\r\n'), `${broken} malformed HTTP response "hello"`],
    'when the answer has no status code': [says('hello world\r\n'), `${broken} malformed HTTP status code "world"`],
    'when the answer is TLS': [
      says('\x15\x03\x01\x00\x02\x02\x16'),
      `${broken} malformed HTTP response "\\x15\\x03\\x01\\x00\\x02\\x02\\x16"`,
    ],
  };
  it.each(Object.entries(cases))('%s', async (_, [answer, output]) => {
    const port = await servers.answering(answer);
    const result = await probeHttp({ port, path: '/' });
    const text = result.output.replace(/127\.0\.0\.1:\d+->/, '127.0.0.1:LOCAL->').replaceAll(String(port), 'PORT');
    expect([result.outcome, text]).toEqual(['Failure', `Get "http://127.0.0.1:PORT/": ${output}`]);
  });

  const secure: Record<string, [(socket: Socket) => void, string]> = {
    'when a server of HTTPS speaks HTTP': [
      says('HTTP/1.0 400 Bad Request\r\n\r\n'),
      'http: server gave HTTP response to HTTPS client',
    ],
    'when a server of HTTPS closes the connection': [(socket) => socket.end(), 'EOF'],
    'when a server of HTTPS resets the connection': [
      (socket) => socket.resetAndDestroy(),
      'read tcp 127.0.0.1:LOCAL->127.0.0.1:PORT: read: connection reset by peer',
    ],
    'when a server of HTTPS has nothing in common with it': [
      (socket) => socket.end(Buffer.from([21, 3, 3, 0, 2, 2, 40])),
      'remote error: tls: handshake failure',
    ],
  };
  it.each(Object.entries(secure))('%s', async (_, [answer, output]) => {
    const port = await servers.answering(answer);
    const result = await probeHttp({ port, path: '/', scheme: 'HTTPS' });
    const text = result.output.replace(/127\.0\.0\.1:\d+->/, '127.0.0.1:LOCAL->').replaceAll(String(port), 'PORT');
    expect([result.outcome, text]).toEqual(['Failure', `Get "https://127.0.0.1:PORT/": ${output}`]);
  });

  it('when nobody listens', async () => {
    const port = await servers.closedPort();
    expect(await probeHttp({ port, path: '/' })).toEqual({
      outcome: 'Failure',
      output: `Get "http://127.0.0.1:${port}/": dial tcp 127.0.0.1:${port}: connect: connection refused`,
    });
  });

  it('when the pod has no address', async () => {
    const result = await probeOnce({ probe: { httpGet: { port: 80, path: '/' } }, podIP: '' });
    expect(result).toEqual({ outcome: 'Failure', output: 'Get "http://:80/": dial tcp :80: missing address' });
  });

  it('when a header is none', async () => {
    const port = await servers.http((_request, response) => response.end());
    const result = await probeHttp({ port, path: '/', httpHeaders: [{ name: 'X-A', value: 'a\nB: c' }] });
    expect(result.output).toBe(`Get "http://127.0.0.1:${port}/": net/http: invalid header field value for "X-A"`);
  });

  it('when the name of the host is unknown', async () => {
    const { output } = await probeHttp({ port: 80, host: 'nowhere.invalid', path: '/' });
    expect(output).toMatch(/^Get "http:\/\/nowhere\.invalid:80\/": dial tcp: lookup nowhere\.invalid: /);
  });
});

describe('an HTTP probe is over in its time', () => {
  const late = 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)';
  const hangs: Record<string, 'HTTP' | 'HTTPS'> = { 'that does not answer': 'HTTP', 'without a handshake': 'HTTPS' };
  it.each(Object.entries(hangs))('with a server %s', async (_, scheme) => {
    const clock = new FakeClock();
    let closed: Promise<void> | undefined;
    const asked = new Promise<number>((resolve) => {
      void servers
        .answering((socket) => {
          closed = new Promise((done) => socket.once('close', () => done()));
          void clock.advance(3000);
        })
        .then(resolve);
    });
    const port = await asked;
    const result = await probeOnce({ clock, probe: { httpGet: { port, path: '/', scheme }, timeoutSeconds: 3 } });
    expect(result.output).toBe(`Get "${scheme.toLowerCase()}://127.0.0.1:${port}/": ${late}`);
    await closed;
  });

  it('with a server to which no connection can be made', async () => {
    const clock = new FakeClock();
    const port = await servers.unansweredPort();
    const result = probeOnce({ clock, probe: { httpGet: { port, path: '/' } } });
    await clock.advance(1000);
    expect((await result).output).toBe(`Get "http://127.0.0.1:${port}/": ${late}`);
  });
});

describe('a body that breaks off is an error', () => {
  const answer = `${ok}Content-Length: 100\r\n\r\nabc`;
  it('when the connection is closed', async () => {
    const port = await servers.answering(says(answer));
    await expect(probeHttp({ port })).rejects.toMatchObject({ message: 'unexpected EOF', state: 'failure' });
  });

  it('when it does not come in time', async () => {
    const clock = new FakeClock();
    const port = await servers.answering((socket) => socket.write(answer));
    const onHead = (): void => void setImmediate(() => clock.advance(1000));
    subscribe('http.client.response.finish', onHead);
    ends.push(() => unsubscribe('http.client.response.finish', onHead));
    await expect(probeOnce({ clock, probe: { httpGet: { port } } })).rejects.toMatchObject({
      message: expect.stringMatching(/^context deadline exceeded \(Client\.Timeout or .* while reading body\)$/),
      state: 'failure',
    });
  });
});

it('an HTTP probe that is aborted closes its connection and rejects', async () => {
  const stop = new AbortController();
  let closed: Promise<void> | undefined;
  const port = await servers.answering((socket) => {
    closed = new Promise((resolve) => socket.once('close', () => resolve()));
    stop.abort(new Error('the container is gone'));
  });
  const probe = { httpGet: { port } };
  await expect(probeOnce({ probe, signal: stop.signal })).rejects.toThrow('the container is gone');
  await closed;
});

it('a port that the container does not have is an error', async () => {
  const missing = probeHttp({ port: 'web' });
  await expect(missing).rejects.toThrow('strconv.Atoi: parsing "web": invalid syntax');
});
