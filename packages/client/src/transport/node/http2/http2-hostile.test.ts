import type { Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { TransportError } from '../../transport.ts';
import { frame, frameTypes, goawayFrame } from './frames.ts';
import { errorCodes } from './http2-error.ts';
import { Http2Stream, streamWindow } from './http2-stream.ts';
import { answering, closeAll, connectTo, framed, get, scripted, settings } from './raw-http2-server.test-data.ts';

afterEach(closeAll);

const { data, headers, priority, resetStream, pushPromise, ping, goaway, windowUpdate, continuation } = frameTypes;
const { protocolError, flowControlError, frameSizeError, streamClosed, compressionError, enhanceYourCalm } = errorCodes;
/** `:status: 200`. */
const ok = 0x88;
const head = framed(headers, 4, 1, [ok]);
const word = (value: number): number[] => [value >>> 24, (value >> 16) & 0xff, (value >> 8) & 0xff, value & 0xff];
const setting = (id: number, value: number): Buffer => framed(frameTypes.settings, 0, 0, [0, id, ...word(value)]);
const literal = (name: string, value: string): number[] => [
  0,
  name.length,
  ...Buffer.from(name),
  value.length,
  ...Buffer.from(value),
];
const many = (bytes: Buffer, times = 2000): Buffer[] => Array.from({ length: times }, () => bytes);
const largest = 2 ** 31 - 1;

describe('a server that violates the protocol gets a GOAWAY and is disconnected', () => {
  const cases: Record<string, [code: number, frames: readonly Buffer[]]> = {
    'more DATA than the window': [
      flowControlError,
      [head, ...many(framed(data, 0, 1, Buffer.alloc(16_384)), streamWindow / 16_384 + 1)],
    ],
    'a window of the connection that is too large': [flowControlError, [framed(windowUpdate, 0, 0, word(largest))]],
    'a window of a stream that is too large': [flowControlError, [framed(windowUpdate, 0, 1, word(largest))]],
    'an initial window that is too large': [flowControlError, [setting(4, 2 ** 31)]],
    'an initial window that makes another too large': [
      flowControlError,
      [framed(windowUpdate, 0, 1, word(largest - 65_535)), setting(4, 65_536)],
    ],
    'a window update of 0': [protocolError, [framed(windowUpdate, 0, 0, word(0))]],
    'an invalid maximum frame size': [protocolError, [setting(5, 1000)]],
    ENABLE_PUSH: [protocolError, [setting(2, 1)]],
    'DATA after the end of the stream': [streamClosed, [framed(headers, 5, 1, [ok]), framed(data, 0, 1, [1])]],
    'a frame that is too long': [frameSizeError, [frame(99, 0, 1, 16_385)]],
    'a ping of seven bytes': [frameSizeError, [framed(ping, 0, 0, Buffer.alloc(7))]],
    'a reset of three bytes': [frameSizeError, [framed(resetStream, 0, 1, Buffer.alloc(3))]],
    'a priority of four bytes': [frameSizeError, [framed(priority, 0, 1, Buffer.alloc(4))]],
    'a GOAWAY of four bytes': [frameSizeError, [framed(goaway, 0, 0, Buffer.alloc(4))]],
    'a truncated setting': [frameSizeError, [framed(frameTypes.settings, 0, 0, Buffer.alloc(5))]],
    'a SETTINGS ACK with a payload': [frameSizeError, [framed(frameTypes.settings, 1, 0, Buffer.alloc(6))]],
    'a ping on a stream': [protocolError, [framed(ping, 0, 1, Buffer.alloc(8))]],
    'settings on a stream': [protocolError, [framed(frameTypes.settings, 0, 1)]],
    'DATA on stream 0': [protocolError, [framed(data, 0, 0, [1])]],
    'HEADERS on stream 0': [protocolError, [framed(headers, 4, 0, [ok])]],
    'a push': [protocolError, [framed(pushPromise, 4, 1, [0, 0, 0, 2, ok])]],
    'an invalid header block': [compressionError, [framed(headers, 5, 1, [0x80])]],
    'a name with capitals': [protocolError, [framed(headers, 5, 1, [ok, ...literal('A', 'b')])]],
    'a value with a line break': [protocolError, [framed(headers, 5, 1, [ok, ...literal('a', 'b\r\nc: d')])]],
    'a connection-specific header': [protocolError, [framed(headers, 5, 1, [ok, ...literal('connection', 'close')])]],
    'a status after other headers': [protocolError, [framed(headers, 5, 1, [...literal('a', 'b'), ok])]],
    'an invalid status': [protocolError, [framed(headers, 5, 1, literal(':status', 'abc'))]],
    'status 101': [protocolError, [framed(headers, 5, 1, literal(':status', '101'))]],
    'two statuses': [protocolError, [framed(headers, 5, 1, [ok, ok])]],
    'two header blocks': [protocolError, [head, head]],
    'a status after the body': [protocolError, [head, framed(headers, 5, 1, [ok])]],
    'a header block that is too long': [
      enhanceYourCalm,
      [framed(headers, 0, 1), ...many(framed(continuation, 0, 1, Buffer.alloc(16_000, ok)), 20)],
    ],
    'a header block that is too long when decoded': [
      enhanceYourCalm,
      [
        framed(headers, 0, 1, [ok, 0x40, 1, 0x61, 0x7f, 0xa1, 0x1e, ...Buffer.alloc(4000, 'x')]),
        framed(continuation, 4, 1, Buffer.alloc(10_000, 0xbe)),
      ],
    ],
    'endless empty CONTINUATION frames': [
      enhanceYourCalm,
      [framed(headers, 0, 1), ...many(framed(continuation, 0, 1))],
    ],
    'endless informational responses': [enhanceYourCalm, many(framed(headers, 4, 1, literal(':status', '103')))],
    'endless pings': [enhanceYourCalm, many(framed(ping, 0, 0, Buffer.alloc(8)))],
    'endless ping ACKs': [enhanceYourCalm, many(framed(ping, 1, 0, Buffer.alloc(8)))],
    'endless settings': [enhanceYourCalm, many(settings)],
    'endless priorities': [enhanceYourCalm, many(framed(priority, 0, 1, Buffer.alloc(5)))],
    'endless small window updates': [enhanceYourCalm, many(framed(windowUpdate, 0, 1, word(1)))],
    'endless GOAWAYs': [enhanceYourCalm, many(framed(goaway, 0, 0, [...word(1), ...word(0)]))],
    'endless empty DATA': [enhanceYourCalm, [head, ...many(framed(data, 0, 1))]],
    'endless padding': [enhanceYourCalm, [head, ...many(framed(data, 8, 1, [1, 0]))]],
    'endless unknown frames': [enhanceYourCalm, many(framed(99, 0, 0))],
    'endless resets': [enhanceYourCalm, [framed(headers, 5, 1, [ok]), ...many(framed(resetStream, 0, 1, word(0)))]],
  };
  it.each(Object.entries(cases))('%s', async (_, [code, frames]) => {
    let seen = Buffer.alloc(0);
    let closed: Promise<unknown> | undefined;
    const server = scripted((socket) => {
      socket.on('data', (bytes: Buffer) => {
        seen = Buffer.concat([seen, bytes]);
      });
      closed = new Promise((resolve) => socket.once('close', resolve));
      socket.write(Buffer.concat([settings, ...frames]));
    });
    const { connection, gone } = await connectTo(server);
    const sent = connection.send(get).catch((error: unknown) => ({ body: { bytes: () => Promise.reject(error) } }));
    while (gone() === 0) await new Promise(setImmediate);
    // The body is only read now, so windows are not updated before.
    const body = await (await sent).body.bytes().catch((error: unknown) => error);
    await closed;
    expect(seen.includes(goawayFrame(code))).toBe(true);
    // A response that was complete before is valid.
    if (!(body instanceof Uint8Array)) expect(body).toMatchObject({ name: 'TransportError', code: 'EPROTO' });
    expect([gone(), connection.hasRoom]).toEqual([1, false]);
  });
});

it('the first frame of a server must be SETTINGS', async () => {
  const { connection, gone } = await connectTo(answering(head));
  await expect(connection.send(get)).rejects.toMatchObject({ code: 'EPROTO' });
  expect(gone()).toBe(1);
});

it('a protocol error sets mayHaveBeenSent, except for requests that were not sent', async () => {
  const { connection } = await connectTo(answering(Buffer.concat([settings, framed(data, 0, 0, [1])])));
  await expect(connection.send(get)).rejects.toMatchObject({ mayHaveBeenSent: true });
  await expect(connection.send(get)).rejects.toMatchObject({ mayHaveBeenSent: false });
});

it('a server may send pings for days', async () => {
  let server: Socket | undefined;
  let receivedBytes = 0;
  const { connection, clock, gone } = await connectTo(
    scripted((socket) => {
      socket.on('data', ({ length }: Buffer) => {
        receivedBytes += length;
      });
      server = socket;
      socket.write(settings);
    }),
  );
  const controller = new AbortController();
  const sent = connection.send({ ...get, signal: controller.signal });
  const pings = Buffer.concat(many(framed(ping, 0, 0, Buffer.alloc(8)), 100));
  while (!server) await new Promise(setImmediate);
  for (let round = 1; round <= 50; round++) {
    server.write(pings);
    while (receivedBytes < round * pings.length && gone() === 0) await new Promise(setImmediate);
    await clock.advance(10_000);
  }
  expect(gone()).toBe(0);
  controller.abort(new Error('enough'));
  await expect(sent).rejects.toThrow('enough');
});

it('data on a cancelled stream is limited to its window', async () => {
  const controller = new AbortController();
  const piece = framed(data, 0, 1, Buffer.alloc(16_384));
  const mostPieces = streamWindow / 16_384;
  let server: Socket | undefined;
  const { connection, gone } = await connectTo(
    scripted((socket) => {
      server = socket;
      socket.write(Buffer.concat([settings, head]));
    }),
  );
  await connection.send({ ...get, signal: controller.signal });
  controller.abort();
  const next = connection.send({ ...get, method: 'HEAD' });
  server!.write(Buffer.concat([...many(piece, mostPieces), framed(headers, 5, 3, [ok])]));
  expect((await next).status).toBe(200);
  server!.write(piece);
  while (gone() === 0) await new Promise(setImmediate);
});

it('a response may consist of frames of one byte', async () => {
  const text = 'x'.repeat(5000);
  for (const length of [literal('content-length', '5000'), []]) {
    const answer = [
      framed(headers, 4, 1, [ok, ...length]),
      ...[...text].map((one) => framed(data, 0, 1, Buffer.from(one))),
    ];
    const { connection } = await connectTo(answering(Buffer.concat([settings, ...answer, framed(data, 1, 1)])));
    const { body } = await connection.send(get);
    expect(Buffer.from(await body.bytes()).toString()).toBe(text);
  }
});

it('a response that is incomplete at the end of the connection is an error', async () => {
  const { connection } = await connectTo(scripted((socket) => socket.end(Buffer.concat([settings, head]))));
  const { body } = await connection.send(get);
  await expect(body.bytes()).rejects.toThrow(TransportError);
});

it('padding counts in the window, and is credited again', () => {
  let returned = 0;
  const owner = {
    onGivenUp: () => {},
    onTaken(_: unknown, bytes: number) {
      returned += bytes;
    },
  };
  const stream = new Http2Stream(
    1,
    get,
    0,
    owner,
    () => {},
    () => {},
  );
  stream.onHeaders([{ name: ':status', value: '200' }], false);
  for (let i = 0; i < 100_000; i++) stream.onData(Buffer.from('x'), 256);
  expect(returned + streamWindow).toBe(stream.receiveWindow + 100_000 * 256);
  expect(stream.receiveWindow).toBeGreaterThan(streamWindow / 2);
});
