import type { RequestListener } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { authority, certificates, impostor, TestServer } from '../../webhook/tls-server.test-data.ts';
import { type HttpsGetOptions, httpsGet } from './https-get.ts';

const servers: TestServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function start(listener: RequestListener, pair = certificates.good): Promise<string> {
  const server = await TestServer.https(listener, pair).start();
  servers.push(server);
  return `https://127.0.0.1:${server.port}`;
}

const get = (url: string, options: Partial<HttpsGetOptions> = {}) =>
  httpsGet(url, { ca: authority.certificatePem, now: () => new Date(), ...options });

describe('httpsGet', () => {
  it('returns any response', async () => {
    const url = await start((request, response) => response.writeHead(418).end(`${request.method} ${request.url}`));
    const { code, status, body } = await get(`${url}/a?b=c`);
    expect([code, status, body.toString()]).toEqual([418, "418 I'm a Teapot", 'GET /a?b=c']);
  });

  it('follows redirects, and sends credentials to no other host', async () => {
    const seen: (string | undefined)[] = [];
    const other = await start((request, response) => {
      seen.push(request.headers.authorization);
      response.end('there');
    });
    const url = await start((request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(302, { location: request.url === '/' ? '/second' : other }).end();
    });
    const { body } = await get(url, { headers: { authorization: 'Bearer secret' } });
    expect(body.toString()).toBe('there');
    expect(seen).toEqual(['Bearer secret', 'Bearer secret', undefined]);
  });

  it('stops after 10 redirects', async () => {
    const url = await start((_, response) => response.writeHead(302, { location: '/' }).end());
    await expect(get(url)).rejects.toThrow(`Get "${url}/": stopped after 10 redirects`);
  });

  it('rejects other schemes than https', async () => {
    const url = await start((_, response) => response.writeHead(302, { location: 'http://127.0.0.1/x' }).end());
    await expect(get(url)).rejects.toThrow('Get "http://127.0.0.1/x": unsupported protocol scheme "http"');
    await expect(get('file:///etc/passwd')).rejects.toThrow('unsupported protocol scheme "file"');
    await expect(get('nonsense')).rejects.toThrow('Get "nonsense": invalid URL');
  });

  it('rejects a response that is too large', async () => {
    const url = await start((_, response) => {
      const chunk = Buffer.alloc(256 * 1024, 'x');
      const write = (): void => {
        while (response.write(chunk));
      };
      response.on('drain', write);
      write();
    });
    await expect(get(url)).rejects.toThrow(`Get "${url}": the answer is longer than 1048576 bytes`);
  });

  it('rejects on a timeout, and when the connection is dropped', async () => {
    const slow = await start(() => {});
    await expect(get(slow, { timeoutMs: 30 })).rejects.toThrow(
      `Get "${slow}": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`,
    );
    const broken = await start((_, response) => {
      response.writeHead(200, { 'content-length': '10' }).write('x');
      response.destroy();
    });
    await expect(get(broken)).rejects.toThrow(`Get "${broken}": `);
  });

  it('rejects when the signal is aborted', async () => {
    const controller = new AbortController();
    const url = await start(() => controller.abort());
    await expect(get(url, { signal: controller.signal })).rejects.toThrow(`Get "${url}": context canceled`);
  });

  it('sends no request to a server with an untrusted certificate', async () => {
    let asked = 0;
    const url = await start(() => asked++);
    await expect(get(url, { ca: impostor.certificatePem })).rejects.toThrow(
      'tls: failed to verify certificate: x509: certificate signed by unknown authority',
    );
    expect(asked).toBe(0);
  });
});
