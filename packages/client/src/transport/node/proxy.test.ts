import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { NodeTransport } from './node-transport.ts';
import { parseProxyUrl, proxyFromEnvironment } from './proxy-from-environment.ts';
import { ok, type RawServer, rawServer } from './raw-server.test-data.ts';

describe('proxyFromEnvironment', () => {
  const HTTPS_PROXY = 'http://proxy:3128';
  const cases: Record<string, [server: string, environment: Record<string, string>, isProxied: boolean]> = {
    'without variables there is no proxy': ['https://a.example', {}, false],
    'https uses HTTPS_PROXY': ['https://a.example', { HTTPS_PROXY }, true],
    'https does not use HTTP_PROXY': ['https://a.example', { HTTP_PROXY: HTTPS_PROXY }, false],
    'http uses HTTP_PROXY': ['http://a.example', { HTTP_PROXY: HTTPS_PROXY }, true],
    'lower case is accepted': ['https://a.example', { https_proxy: HTTPS_PROXY }, true],
    'localhost is never proxied': ['https://localhost:6443', { HTTPS_PROXY }, false],
    'loopback addresses are never proxied': ['https://127.1.2.3', { HTTPS_PROXY }, false],
    'IPv6 loopback addresses are never proxied': ['https://[::1]:6443', { HTTPS_PROXY }, false],
    'a star exempts all': ['https://a.example', { HTTPS_PROXY, NO_PROXY: '*' }, false],
    'a domain exempts itself': ['https://a.example', { HTTPS_PROXY, NO_PROXY: 'b.example, A.example' }, false],
    'a domain exempts its subdomains': ['https://x.a.example', { HTTPS_PROXY, no_proxy: 'a.example' }, false],
    'a domain does not exempt other domains with the same suffix': [
      'https://ba.example',
      { HTTPS_PROXY, NO_PROXY: 'a.example' },
      true,
    ],
    'a leading dot does not exempt the domain itself': [
      'https://a.example',
      { HTTPS_PROXY, NO_PROXY: '.a.example' },
      true,
    ],
    'a leading dot exempts subdomains': ['https://x.a.example', { HTTPS_PROXY, NO_PROXY: '.a.example' }, false],
    'a star and a dot exempt subdomains': ['https://x.a.example', { HTTPS_PROXY, NO_PROXY: '*.a.example' }, false],
    'a port must match': ['https://a.example:6443', { HTTPS_PROXY, NO_PROXY: 'a.example:443' }, true],
    'a matching port': ['https://a.example', { HTTPS_PROXY, NO_PROXY: 'a.example:443' }, false],
    'an address exempts itself': ['https://10.0.0.1', { HTTPS_PROXY, NO_PROXY: '10.0.0.1' }, false],
    'an address does not exempt others': ['https://10.0.0.11', { HTTPS_PROXY, NO_PROXY: '10.0.0.1' }, true],
    'a network exempts its addresses': ['https://10.0.7.1:6443', { HTTPS_PROXY, NO_PROXY: '10.0.0.0/20' }, false],
    'a network does not exempt others': ['https://10.0.16.1', { HTTPS_PROXY, NO_PROXY: '10.0.0.0/20' }, true],
    'a network of IPv6': ['https://[fd00::5]', { HTTPS_PROXY, NO_PROXY: 'fd00::/8' }, false],
    'an IPv6 address in any notation': ['https://[fd00::5]', { HTTPS_PROXY, NO_PROXY: 'FD00:0::5' }, false],
  };
  it.each(Object.entries(cases))('%s', (_, [server, environment, isProxied]) => {
    expect(proxyFromEnvironment(new URL(server), environment)?.href).toBe(isProxied ? 'http://proxy:3128/' : undefined);
  });

  it('defaults to an HTTP proxy, and throws for unsupported schemes', () => {
    expect(parseProxyUrl('proxy:3128').href).toBe('http://proxy:3128/');
    expect(() => parseProxyUrl('ftp://proxy')).toThrow('unsupported scheme "ftp"');
  });
});

describe('a server without TLS behind a proxy', () => {
  let server: RawServer;
  let transport: NodeTransport;
  let close: () => void = () => {};
  afterEach(async () => {
    await transport.close();
    await server.close();
    close();
  });
  const send = async (): Promise<string> => {
    const { body } = await transport.send({ method: 'GET', url: '/x', headers: {} });
    return new TextDecoder().decode(await body.bytes());
  };

  it('is requested with its absolute URL from an HTTP proxy', async () => {
    server = await rawServer((socket, request) => socket.write(ok(request)));
    const proxyUrl = server.url.replace('//', '//me:secret@');
    transport = new NodeTransport({ server: 'http://api.example/base', proxyUrl });
    const [line, ...headers] = (await send()).split('\r\n');
    expect(line).toBe('GET http://api.example/base/x HTTP/1.1');
    expect(headers).toContain('host: api.example');
    expect(headers).toContain(`proxy-authorization: Basic ${Buffer.from('me:secret').toString('base64')}`);
  });

  /** A SOCKS5 proxy that records its requests. */
  async function socksProxy(reply: number, user?: string): Promise<{ url: string; asked: string[] }> {
    const asked: string[] = [];
    const target = new URL(server.url);
    const proxy = createServer(async (socket: Socket) => {
      socket.on('error', () => {});
      const read = async (): Promise<Buffer> => {
        for await (const bytes of socket.iterator({ destroyOnReturn: false })) return bytes;
        return Buffer.alloc(0);
      };
      asked.push((await read()).toString('hex'));
      socket.write(Buffer.from([5, user ? 2 : 0]));
      if (user) {
        asked.push((await read()).subarray(1).toString('latin1'));
        socket.write(Buffer.from([1, 0]));
      }
      asked.push((await read()).toString('hex'));
      socket.write(Buffer.from([5, reply, 0, 1, 127, 0, 0, 1, 0, 80]));
      if (reply !== 0) return;
      const way = connect(Number(target.port), target.hostname);
      way.on('error', () => {});
      socket.pipe(way).pipe(socket);
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    close = () => proxy.close();
    return { url: `socks5://${user ? `${user}@` : ''}127.0.0.1:${(proxy.address() as AddressInfo).port}`, asked };
  }

  it('is requested by name from a SOCKS5 proxy', async () => {
    server = await rawServer((socket) => socket.write(ok('through')));
    const { url, asked } = await socksProxy(0);
    transport = new NodeTransport({ server: 'http://api.example:8080', proxyUrl: url });
    expect(await send()).toBe('through');
    expect(asked).toEqual(['050100', `050100030b${Buffer.from('api.example').toString('hex')}1f90`]);
  });

  it('is requested with a user name and a password', async () => {
    server = await rawServer((socket) => socket.write(ok('through')));
    const { url, asked } = await socksProxy(0, 'me:secret');
    transport = new NodeTransport({ server: 'http://10.1.2.3', proxyUrl: url });
    expect(await send()).toBe('through');
    expect(asked).toEqual(['05020002', '\x02me\x06secret', '050100010a0102030050']);
  });

  it('cannot be reached when the proxy rejects the connection', async () => {
    server = await rawServer(() => {});
    const { url } = await socksProxy(5);
    transport = new NodeTransport({ server: 'http://[fd00::1]', proxyUrl: url });
    await expect(send()).rejects.toMatchObject({
      message: 'the SOCKS5 proxy refused to connect: connection refused',
      mayHaveBeenSent: false,
    });
  });
});
