import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TransportError, type WebSocketConnection } from '../../transport/transport.ts';
import { BytePipe } from '../byte-pipe.ts';
import { SpdyConnection } from './connection.ts';
import {
  dataFrame,
  goAway,
  ping,
  rstStream,
  type SpdyFrame,
  SpdyFrameReader,
  synStream,
} from '@coxswain/apimachinery/spdy';

/** SYN_REPLY as servers send it, without headers. */
function synReply(stream: number): Uint8Array {
  const frame = rstStream(stream, 0);
  frame[3] = 2;
  return frame;
}

describe('frames', () => {
  it('are parsed from any chunks', () => {
    const frame = fc.oneof(
      fc
        .record({ stream: fc.nat(0x7fffffff), fin: fc.boolean(), bytes: fc.uint8Array({ maxLength: 300 }) })
        .map(({ stream, fin, bytes }): [Uint8Array, SpdyFrame] => [
          dataFrame(stream, bytes, fin),
          { type: 'data', stream, fin, bytes },
        ]),
      fc
        .record({ stream: fc.nat(0x7fffffff), status: fc.nat(11) })
        .map(({ stream, status }): [Uint8Array, SpdyFrame] => [
          rstStream(stream, status),
          { type: 'reset', stream, status },
        ]),
      fc.nat(0x7fffffff).map((id): [Uint8Array, SpdyFrame] => [ping(id), { type: 'ping', id }]),
      fc.constant<[Uint8Array, SpdyFrame]>([goAway(), { type: 'goAway' }]),
    );
    fc.assert(
      fc.property(fc.array(frame), fc.integer({ min: 1, max: 400 }), (frames, size) => {
        const bytes = Buffer.concat(frames.map(([written]) => written));
        const reader = new SpdyFrameReader();
        const found: SpdyFrame[] = [];
        for (let at = 0; at < bytes.length; at += size) found.push(...reader.read(bytes.subarray(at, at + size)));
        expect(found.map(plain)).toEqual(frames.map(([, expected]) => plain(expected)));
      }),
    );
  });

  it('of another version are rejected', () => {
    const frame = ping(1);
    frame[1] = 2;
    expect(() => [...new SpdyFrameReader().read(frame)]).toThrow('not a frame of SPDY/3.1');
  });

  it('that open a stream can be read by spdystream', () => {
    // Verified with spdystream's framer.
    expect(Buffer.from(synStream(1, { port: '80' }, { isFirst: true, fin: true })).toString('hex')).toBe(
      [
        '80030001010000' + '2c',
        '00000001' + '00000000' + '0000',
        '7820e3c6a7c2',
        '00' + '1200' + 'edff',
        '00000001' + '00000004' + '706f7274' + '00000002' + '3830',
        '000000ffff',
      ].join(''),
    );
  });
});

const plain = (frame: SpdyFrame) =>
  'bytes' in frame ? { ...frame, bytes: Buffer.from(frame.bytes).toString('hex') } : frame;

/** The server side. */
class Server implements WebSocketConnection {
  readonly protocol = 'SPDY/3.1+portforward.k8s.io';
  readonly sent: SpdyFrame[] = [];
  readonly #toClient = new BytePipe();
  readonly #reader = new SpdyFrameReader();
  isClosed = false;

  async send(message: Uint8Array): Promise<void> {
    if (this.isClosed) throw new TransportError('closed');
    this.sent.push(...this.#reader.read(message));
  }

  messages(): AsyncIterable<Uint8Array> {
    return this.#toClient;
  }

  close(): void {
    this.isClosed = true;
    this.#toClient.end();
  }

  /** Sends frames; resolves when the client has processed them. */
  async say(...frames: Uint8Array[]): Promise<void> {
    for (const frame of frames) await this.#toClient.write(frame);
  }
}

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  let text = '';
  for await (const chunk of chunks) text += Buffer.from(chunk).toString();
  return text;
}

describe('SpdyConnection', () => {
  const start = () => {
    const server = new Server();
    return { server, connection: new SpdyConnection(server) };
  };
  const opened = async () => {
    const { server, connection } = start();
    const opening = connection.open({ a: 'b' });
    await server.say(synReply(1));
    return { server, connection, stream: await opening };
  };

  it('uses odd stream ids, and waits until streams are accepted', async () => {
    const { server, connection } = start();
    const seen: string[] = [];
    const opening = [1, 3].map(async (id) => {
      await connection.open({});
      seen.push(`open ${id}`);
    });
    await server.say(synReply(3));
    seen.push('first said');
    await server.say(synReply(1));
    await Promise.all(opening);
    expect(seen).toEqual(['open 3', 'first said', 'open 1']);
  });

  it('transfers bytes in both directions, with half-close', async () => {
    const { server, stream } = await opened();
    await stream.write(Buffer.alloc(40_000, 'x'));
    await stream.end();
    expect(server.sent.slice(1)).toMatchObject([
      { type: 'data', stream: 1, fin: false, bytes: { length: 32 * 1024 } },
      { type: 'data', stream: 1, fin: false, bytes: { length: 40_000 - 32 * 1024 } },
      { type: 'data', stream: 1, fin: true, bytes: { length: 0 } },
    ]);
    await expect(stream.write(Buffer.of(1))).rejects.toBeInstanceOf(TransportError);
    const reading = textOf(stream.chunks());
    await server.say(dataFrame(1, Buffer.from('a'), false), dataFrame(1, Buffer.from('b'), true));
    expect(await reading).toBe('ab');
  });

  it('answers the pings of the server only', async () => {
    const { server } = await opened();
    await server.say(ping(1), ping(2));
    expect(server.sent.slice(1)).toEqual([{ type: 'ping', id: 2 }]);
  });

  it('blocks while a stream is not read, until it is reset', async () => {
    const { server, stream } = await opened();
    let isThrough = false;
    const saying = server
      .say(...Array.from({ length: 40 }, () => dataFrame(1, Buffer.alloc(64 * 1024), false)), ping(2))
      .then(() => {
        isThrough = true;
      });
    for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(isThrough).toBe(false);
    stream.reset();
    await saying;
    expect(server.sent.slice(1)).toEqual([
      { type: 'reset', stream: 1, status: 5 },
      { type: 'ping', id: 2 },
    ]);
  });

  it('reports a reset stream after its earlier data', async () => {
    const { server, connection, stream } = await opened();
    const seen: string[] = [];
    const reading = (async () => {
      for await (const chunk of stream.chunks()) seen.push(Buffer.from(chunk).toString());
    })();
    reading.catch(() => {});
    await server.say(dataFrame(1, Buffer.from('a'), false), rstStream(1, 5));
    await expect(reading).rejects.toThrow('the server reset the stream (status 5)');
    expect(seen).toEqual(['a']);
    const refused = connection.open({});
    refused.catch(() => {});
    await server.say(rstStream(3, 3));
    await expect(refused).rejects.toBeInstanceOf(TransportError);
  });

  it.each([
    ['goes away', async (server: Server) => void (await server.say(goAway()))],
    ['closes', async (server: Server) => server.close()],
    ['sends an invalid frame', async (server: Server) => void (await server.say(Buffer.alloc(100, 0xff)))],
  ])('ends everything when the server %s', async (_, act) => {
    const { server, connection, stream } = await opened();
    const reading = textOf(stream.chunks());
    const opening = connection.open({});
    for (const promise of [reading, opening]) promise.catch(() => {});
    void act(server);
    await connection.closed;
    await expect(reading).rejects.toThrow();
    await expect(opening).rejects.toThrow();
    await expect(connection.open({})).rejects.toThrow();
    expect([connection.isClosed, server.isClosed]).toEqual([true, true]);
  });

  it('sends GOAWAY on close', async () => {
    const { server, connection, stream } = await opened();
    const reading = textOf(stream.chunks());
    reading.catch(() => {});
    connection.close();
    await connection.closed;
    await expect(reading).rejects.toBeInstanceOf(TransportError);
    expect(server.sent.at(-1)).toEqual({ type: 'goAway' });
  });
});
