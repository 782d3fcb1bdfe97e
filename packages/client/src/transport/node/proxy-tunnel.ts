import { isIPv4, isIPv6, type Socket } from 'node:net';
import { TransportError } from '../transport.ts';

const longestAnswer = 64 * 1024;

interface TunnelTarget {
  readonly host: string;
  readonly port: number;
}

/** Requests a tunnel to the target from the proxy. Resolves with the socket, whose bytes then go to the target. */
export async function openTunnel(socket: Socket, proxy: URL, target: TunnelTarget): Promise<Socket> {
  await (proxy.protocol.startsWith('socks') ? socks5(socket, proxy, target) : httpConnect(socket, proxy, target));
  return socket;
}

async function httpConnect(socket: Socket, proxy: URL, { host, port }: TunnelTarget): Promise<void> {
  const authority = `${isIPv6(host) ? `[${host}]` : host}:${port}`;
  const authorization = proxyAuthorization(proxy);
  socket.write(
    `CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n${
      authorization ? `proxy-authorization: ${authorization}\r\n` : ''
    }\r\n`,
  );
  const head = (await readThrough(socket, '\r\n\r\n')).toString('latin1');
  const [, status] = /^HTTP\/1\.[01] (\d{3})/.exec(head) ?? [];
  if (status !== '200') throw refused(`the proxy refused to connect: ${head.split('\r\n', 1)[0]!.slice(0, 200)}`);
}

/** `Basic …` for a proxy whose URL names a user. */
export function proxyAuthorization({ username, password }: URL): string | undefined {
  if (!username && !password) return undefined;
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

/** SOCKS5 (RFC 1928) with user names and passwords (RFC 1929). The proxy resolves host names. */
async function socks5(socket: Socket, proxy: URL, { host, port }: TunnelTarget): Promise<void> {
  const username = Buffer.from(decodeURIComponent(proxy.username));
  const password = Buffer.from(decodeURIComponent(proxy.password));
  const hasUser = username.length > 0;
  socket.write(Buffer.from(hasUser ? [5, 2, 0, 2] : [5, 1, 0]));
  const [version, method] = await read(socket, 2);
  if (version !== 5) throw refused('the proxy does not speak SOCKS5');
  if (method === 2 && hasUser) {
    socket.write(Buffer.from([1, username.length, ...username, password.length, ...password]));
    const [, answer] = await read(socket, 2);
    if (answer !== 0) throw refused('the SOCKS5 proxy rejected the user name or password');
  } else if (method !== 0) throw refused('the SOCKS5 proxy requires credentials');
  socket.write(Buffer.from([5, 1, 0, ...socksAddress(host), port >> 8, port & 0xff]));
  const [, reply, , kind] = await read(socket, 4);
  if (reply !== 0) throw refused(`the SOCKS5 proxy refused to connect: ${socksReplies[reply!] ?? reply}`);
  // The proxy's own address, which is ignored.
  const length = kind === 1 ? 4 : kind === 4 ? 16 : (await read(socket, 1))[0]!;
  await read(socket, length + 2);
}

const socksReplies = [
  'succeeded',
  'general failure',
  'not allowed by rules',
  'network unreachable',
  'host unreachable',
  'connection refused',
  'time to live expired',
  'command not supported',
  'address type not supported',
];

function socksAddress(host: string): readonly number[] {
  if (isIPv4(host)) return [1, ...host.split('.').map(Number)];
  if (isIPv6(host)) return [4, ...ipv6Bytes(host)];
  const name = Buffer.from(host);
  if (name.length > 255) throw refused('the host has a name too long for SOCKS5');
  return [3, name.length, ...name];
}

/** The bytes of an IPv6 address, which must be valid. */
export function ipv6Bytes(address: string): number[] {
  // The URL parser normalizes every form, also with an embedded IPv4 address, to groups of hexadecimal digits.
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [front = '', back] = canonical.split('::');
  const groups = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
  const first = groups(front);
  const last = back === undefined ? [] : groups(back);
  const all = [...first, ...Array.from({ length: 8 - first.length - last.length }, () => 0), ...last];
  return all.flatMap((group) => [group >> 8, group & 0xff]);
}

/** Reads exactly `length` bytes. */
async function read(socket: Socket, length: number): Promise<Buffer> {
  for (;;) {
    const bytes: Buffer | null = socket.read(length);
    if (bytes && bytes.length === length) return bytes;
    if (bytes) throw refused('the proxy closed the connection');
    await readable(socket);
  }
}

/** Reads up to and including the mark; the rest stays in the socket. */
async function readThrough(socket: Socket, mark: string): Promise<Buffer> {
  let all = Buffer.alloc(0);
  for (;;) {
    const bytes: Buffer | null = socket.read();
    if (bytes) {
      all = Buffer.concat([all, bytes]);
      const at = all.indexOf(mark);
      if (at !== -1) {
        const end = at + mark.length;
        if (end < all.length) socket.unshift(all.subarray(end));
        return all.subarray(0, end);
      }
      if (all.length > longestAnswer) throw refused('the response of the proxy is too long');
    } else await readable(socket);
  }
}

function readable(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    if (socket.readableEnded || socket.destroyed) return reject(refused('the proxy closed the connection'));
    const settle = (): void => {
      socket.off('readable', onReadable);
      socket.off('end', onEnd);
      socket.off('close', onEnd);
    };
    const onReadable = (): void => {
      settle();
      resolve();
    };
    const onEnd = (): void => {
      settle();
      reject(refused('the proxy closed the connection'));
    };
    socket.once('readable', onReadable);
    socket.once('end', onEnd);
    socket.once('close', onEnd);
  });
}

const refused = (message: string): TransportError => new TransportError(message, { mayHaveBeenSent: false });
