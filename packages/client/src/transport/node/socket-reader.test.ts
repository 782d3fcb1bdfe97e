import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createSecureContext, createServer, type TLSSocket } from 'node:tls';
import { systemClock } from '@coxswain/apimachinery/clock';
import { afterEach, describe, expect, it } from 'vitest';
import { issueKeyPair } from '../../x509/key-pair.ts';
import { dial } from './dial.ts';
import { SocketReader } from './socket-reader.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A connection with the reader, and the server's side of it. */
async function connected(reader: SocketReader) {
  const { certificatePem: cert, keyPem: key } = issueKeyPair({
    commonName: 'server',
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(Date.now() + 60_000),
  });
  const server = createServer({ cert, key, ALPNProtocols: ['h2'] });
  const accepted = once(server, 'secureConnection');
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const tls = { context: createSecureContext(), serverName: undefined, insecureSkipTlsVerify: true };
  const target = { host: '127.0.0.1', port, tls, proxy: undefined };
  const { signal } = new AbortController();
  const socket = await dial(target, { alpn: ['h2'], clock: systemClock, signal, reader });
  const [peer] = (await accepted) as [TLSSocket];
  closing.push(() => {
    socket.destroy();
    server.close();
  });
  return { socket, peer };
}

describe('SocketReader', () => {
  it('reuses its buffer', async () => {
    const reader = new SocketReader();
    const { socket, peer } = await connected(reader);
    const memories = new Set<ArrayBufferLike>();
    let text = '';
    const wanted = 'abcdefghij'.repeat(50_000);
    const all = new Promise<void>((resolve) => {
      reader.start(socket, (bytes) => {
        memories.add(bytes.buffer);
        text += bytes.toString();
        if (text.length >= wanted.length) resolve();
      });
    });
    peer.write(wanted);
    await all;
    expect(text === wanted).toBe(true);
    expect(memories.size).toBe(1);
  });

  it('delivers data that was received before `start`, asynchronously', async () => {
    const reader = new SocketReader();
    const { socket, peer } = await connected(reader);
    const ended = once(socket, 'end');
    peer.end('early');
    await ended;
    let text = '';
    reader.start(socket, (bytes) => {
      text += bytes.toString();
    });
    expect(text).toBe('');
    await Promise.resolve();
    expect(text).toBe('early');
  });

  it('preserves the end event', async () => {
    const reader = new SocketReader();
    const { socket, peer } = await connected(reader);
    reader.start(socket, () => {});
    const ended = once(socket, 'end');
    peer.end();
    await ended;
  });
});
