import { once } from 'node:events';
import { createConnection, createServer, type Socket } from 'node:net';
import { createDeflate, constants as zlib } from 'node:zlib';
import { dataFrame, ping } from '@coxswain/apimachinery/spdy';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { headerDictionary } from './header-dictionary.ts';
import { SpdyServer, type SpdyServerStream } from './spdy-server.ts';

const server = createServer();
let client: Socket;
let spdy: SpdyServer;
const streams: SpdyServerStream[] = [];
let onStream: () => void = () => {};

beforeEach(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  client = createConnection(typeof address === 'object' && address ? address.port : 0, '127.0.0.1');
  client.on('error', () => {});
  const [socket] = (await once(server, 'connection')) as [Socket];
  streams.length = 0;
  spdy = new SpdyServer(socket, (stream) => {
    streams.push(stream);
    onStream();
  });
});
afterEach(async () => {
  client.destroy();
  await spdy.closed;
  server.close();
});

/** Compresses the header blocks of a connection one after the other, as Go's clients do. */
function compressor() {
  const deflate = createDeflate({ dictionary: headerDictionary, flush: zlib.Z_SYNC_FLUSH });
  const parts: Buffer[] = [];
  deflate.on('data', (part: Buffer) => parts.push(part));
  return async (id: number, headers: Readonly<Record<string, string>>): Promise<Buffer> => {
    const word = (value: number) => {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(value);
      return bytes;
    };
    const fields = Object.entries(headers)
      .flat()
      .flatMap((field) => [word(field.length), Buffer.from(field)]);
    parts.length = 0;
    await new Promise<void>((resolve, reject) => {
      deflate.write(Buffer.concat([word(Object.keys(headers).length), ...fields]), (error) =>
        error ? reject(error) : resolve(),
      );
    });
    const payload = Buffer.concat([word(id), word(0), Buffer.alloc(2), ...parts]);
    return Buffer.concat([word(0x80030001), word(payload.length), payload]);
  };
}

const opened = (count: number) =>
  new Promise<void>((resolve) => {
    onStream = () => {
      if (streams.length >= count) resolve();
    };
    onStream();
  });

describe('the SPDY server', () => {
  it('reads headers that are compressed over the whole connection', async () => {
    const open = compressor();
    client.write(await open(1, { streamType: 'data', port: '80', requestID: '0' }));
    client.write(await open(3, { streamType: 'error', port: '80', requestID: '0' }));
    await opened(2);
    expect(streams.map(({ headers }) => headers.get('streamtype'))).toEqual(['data', 'error']);
  });

  it('keeps what arrives before it is read, and ends a stream alone', async () => {
    const open = compressor();
    client.write(
      Buffer.concat([
        await open(1, { a: 'b' }),
        dataFrame(1, Buffer.from('one'), false),
        dataFrame(1, Buffer.from('two'), true),
      ]),
    );
    await opened(1);
    let text = '';
    for await (const part of streams[0]!.received) text += part.toString();
    expect(text).toBe('onetwo');
    client.write(ping(1));
    const parts: Buffer[] = [];
    for await (const part of client) {
      parts.push(part);
      if (Buffer.concat(parts).includes(Buffer.from(ping(1)))) break;
    }
  });

  it('ends a connection with a broken frame', async () => {
    client.write(Buffer.from('GET / HTTP/1.1\r\n\r\n\x80\x00\x00\x00\x00\x00\x00\x00'));
    client.write(Buffer.from([0x80, 9, 0, 1, 0, 0, 0, 0, 0x80, 9, 0, 1, 0, 0, 0, 0]));
    client.end();
    await spdy.closed;
    expect(streams).toEqual([]);
  });
});
