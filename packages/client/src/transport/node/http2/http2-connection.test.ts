import { createServer, type ServerHttp2Stream } from 'node:http2';
import { createServer as createTcpServer } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { TransportError, type TransportRequest } from '../../transport.ts';
import { frame, frameTypes } from './frames.ts';
import type { Http2Connection } from './http2-connection.ts';
import {
  answering,
  closeAll,
  connectTo,
  framed,
  get,
  onCloseAll,
  settings,
  wholeHead,
} from './raw-http2-server.test-data.ts';

afterEach(closeAll);

async function startReal(onStream: (stream: ServerHttp2Stream) => void): Promise<Http2Connection> {
  const server = createServer({ maxSessionMemory: 1000 });
  server.on('stream', (stream) => {
    stream.on('error', () => {});
    onStream(stream);
  });
  server.on('session', (session) => onCloseAll(() => session.destroy()));
  return (await connectTo(server)).connection;
}

describe('Http2Connection with a real server', () => {
  it('sends and receives a body that is longer than the flow-control window', async () => {
    const connection = await startReal((stream) => {
      stream.respond({ ':status': 200 });
      stream.pipe(stream);
    });
    const body = Buffer.alloc(3_000_000, 'abcdefg');
    const sent = await Promise.all(
      [0, 1, 2].map(async () => {
        const response = await connection.send({ ...get, method: 'POST', body });
        return Buffer.from(await response.body.bytes()).equals(body);
      }),
    );
    expect(sent).toEqual([true, true, true]);
  });

  it('applies backpressure to an unread response, and not to others', async () => {
    let large: ServerHttp2Stream | undefined;
    const connection = await startReal((stream) => {
      stream.respond({ ':status': 200 });
      if (large) stream.end('small');
      else {
        large = stream;
        stream.end(Buffer.alloc(64 * 1024 * 1024));
      }
    });
    const { body } = await connection.send(get);
    for (let turn = 0; turn < 50; turn++) {
      const other = await connection.send(get);
      expect(String(Buffer.from(await other.body.bytes()))).toBe('small');
    }
    // The client and the kernel buffer only little of it.
    expect(large!.writableLength).toBeGreaterThan(32 * 1024 * 1024);
    expect((await body.bytes()).length).toBe(64 * 1024 * 1024);
  });

  it('receives headers with any characters', async () => {
    let value = '';
    const connection = await startReal((stream) => {
      stream.respond({ ':status': 200, 'x-first': value, 'x-second': value });
      stream.end();
    });
    const visible = fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)) });
    await fc.assert(
      fc.asyncProperty(visible, async (text) => {
        value = text;
        const { headers } = await connection.send(get);
        expect([headers['x-first'], headers['x-second']]).toEqual([text, text]);
      }),
    );
  });

  it('sends the requests of one turn with one write', async () => {
    let pieces = 0;
    let onPiece = (): void => {};
    const server = createTcpServer((socket) => {
      onCloseAll(() => socket.destroy());
      socket.on('error', () => {});
      socket.on('data', () => {
        pieces++;
        onPiece();
      });
    });
    const next = (): Promise<void> =>
      new Promise((resolve) => {
        onPiece = resolve;
      });
    const { connection } = await connectTo(server);
    while (pieces === 0) await next();
    const sent = Array.from({ length: 50 }, () => connection.send({ ...get, method: 'POST', body: Buffer.from('{}') }));
    const failed = Promise.allSettled(sent);
    while (pieces < 2) await next();
    await new Promise(setImmediate);
    expect(pieces).toBe(2);
    connection.destroy(new TransportError('over'));
    await failed;
  });

  const refused: Record<string, Partial<TransportRequest>> = {
    'a connection-specific header': { headers: { connection: 'close' } },
    'a header with a line break': { headers: { a: 'b\r\nc: d' } },
    'a name with a space': { headers: { 'a b': 'c' } },
    'a URL with a space': { url: '/a b' },
  };
  it.each(Object.entries(refused))('rejects %s, and stays usable', async (_, request) => {
    const connection = await startReal((stream) => {
      stream.respond({ ':status': 204 }, { endStream: true });
    });
    await expect(connection.send({ ...get, ...request })).rejects.toThrow(TypeError);
    expect((await connection.send(get)).status).toBe(204);
  });
});

describe('Http2Connection with a server that sends', () => {
  const { data, headers, continuation, pushPromise, windowUpdate } = frameTypes;
  /** `:status: 200`, and `:status: 103`. */
  const ok = 0x88;
  const early = [0x48, 3, 0x31, 0x30, 0x33];
  const lengthOf = (digit: number): number[] => [0x0f, 0x0d, 1, 0x30 + digit];

  const broken: Record<string, Buffer[]> = {
    'DATA without HEADERS': [framed(data, 1, 1, [1])],
    'END_STREAM without HEADERS': [framed(data, 1, 1)],
    'HEADERS without a status': [framed(headers, 5, 1)],
    'an invalid header block': [framed(headers, 5, 1, [0x80])],
    'a response on an unknown stream': [framed(headers, 5, 3, [ok])],
    'a push': [framed(pushPromise, 4, 1, [0, 0, 0, 2, ok])],
    'an interrupted header block': [framed(headers, 0, 1, [ok]), framed(data, 0, 1, [1])],
    'CONTINUATION without HEADERS': [framed(continuation, 4, 1, [ok])],
    'more padding than payload': [framed(headers, 0xd, 1, [9, ok])],
    'a frame that is too long': [frame(data, 0, 1, 16_385)],
    'a frame that is too short': [framed(windowUpdate, 0, 0, [0, 0])],
    'an endless header block': [
      framed(headers, 0, 1, [ok]),
      ...Array.from({ length: 20 }, () => framed(continuation, 0, 1, new Array(16_000).fill(ok))),
    ],
  };
  it.each(Object.entries(broken))('%s', async (_, frames) => {
    const { connection, gone } = await connectTo(answering(Buffer.concat([settings, ...frames])));
    await expect(connection.send(get)).rejects.toMatchObject({ name: 'TransportError', code: 'EPROTO' });
    expect([gone(), connection.hasRoom]).toEqual([1, false]);
  });

  const fine: Record<string, Buffer[]> = {
    'a whole response': [framed(headers, 4, 1, [ok]), framed(data, 1, 1, [0x68, 0x69])],
    'a header block in several frames, with padding and priority': [
      framed(headers, 0x28, 1, [1, 0, 0, 0, 0, 0, 0]),
      framed(continuation, 4, 1, [ok]),
      framed(data, 9, 1, [1, 0x68, 0x69, 0]),
    ],
    'a content-length': [framed(headers, 4, 1, [ok, ...lengthOf(2)]), framed(data, 1, 1, [0x68, 0x69])],
    'a content-length, and END_STREAM separately': [
      framed(headers, 4, 1, [ok, ...lengthOf(2)]),
      framed(data, 0, 1, [0x68]),
      framed(data, 0, 1, [0x69]),
      framed(data, 1, 1),
    ],
    'more than it announces': [
      framed(headers, 4, 1, [ok, ...lengthOf(1)]),
      framed(data, 0, 1, [0x68]),
      framed(data, 1, 1, [0x69]),
    ],
    'less than it announces': [framed(headers, 4, 1, [ok, ...lengthOf(9)]), framed(data, 1, 1, [0x68, 0x69])],
    'an informational response, trailers and unknown frames': [
      framed(99, 0, 1, [1, 2, 3]),
      framed(headers, 4, 1, early),
      framed(headers, 4, 1, [ok]),
      framed(data, 0, 1, [0x68, 0x69]),
      framed(headers, 5, 1, [0x40, 1, 0x61, 1, 0x62]),
    ],
  };
  it.each(Object.entries(fine))('%s, in any chunks', async (_, frames) => {
    const whole = Buffer.concat([settings, ...frames]);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(whole.length), { maxLength: 6 }), async (cuts) => {
        const server = createTcpServer((socket) => {
          onCloseAll(() => socket.destroy());
          socket.on('error', () => {});
          socket.setNoDelay(true);
          let request = Buffer.alloc(0);
          socket.on('data', async (bytes: Buffer) => {
            const hadAll = request.includes(wholeHead);
            request = Buffer.concat([request, bytes]);
            if (hadAll || !request.includes(wholeHead)) return;
            const at = [0, ...cuts.sort((a, b) => a - b), whole.length];
            for (let i = 1; i < at.length; i++) {
              socket.write(whole.subarray(at[i - 1], at[i]));
              await new Promise(setImmediate);
            }
          });
        });
        const { connection } = await connectTo(server);
        const { status, body } = await connection.send(get);
        expect([status, String(Buffer.from(await body.bytes()))]).toEqual([200, 'hi']);
        connection.destroy(new TransportError('over'));
        server.close();
      }),
      { numRuns: 30 },
    );
  });

  it('an unwanted body: the response resolves when it is complete, and an error has its body', async () => {
    const [created, notFound] = [[ok], [0x8d]];
    for (const [head, text] of [
      [created, ''],
      [notFound, 'hi'],
    ] as const) {
      const answer = [framed(headers, 4, 1, head), framed(data, 0, 1, [0x68]), framed(data, 1, 1, [0x69])];
      const { connection } = await connectTo(answering(Buffer.concat([settings, ...answer])));
      const { body } = await connection.send({ ...get, bodyUnwanted: true });
      expect(String(Buffer.from(await body.bytes()))).toBe(text);
    }
  });

  it('an unwanted body, and disconnects before its end', async () => {
    const cut = [framed(headers, 4, 1, [ok]), framed(data, 0, 1, [0x68])];
    const server = createTcpServer((socket) => {
      socket.on('error', () => {});
      socket.on('data', (request: Buffer) => {
        if (request.includes(wholeHead)) socket.end(Buffer.concat([settings, ...cut]));
      });
    });
    const { connection } = await connectTo(server);
    const { body } = await connection.send({ ...get, bodyUnwanted: true });
    await expect(body.bytes()).rejects.toThrow(TransportError);
  });

  it('part of a short response, and disconnects: the part can be read, and then it is an error', async () => {
    const cut = [framed(headers, 4, 1, [ok, ...lengthOf(5)]), framed(data, 0, 1, [0x68, 0x69])];
    const server = createTcpServer((socket) => {
      socket.on('error', () => {});
      socket.on('data', (request: Buffer) => {
        if (request.includes(wholeHead)) socket.end(Buffer.concat([settings, ...cut]));
      });
    });
    const { connection } = await connectTo(server);
    const { status, body } = await connection.send(get);
    let text = '';
    const reading = (async () => {
      for await (const chunk of body.chunks()) text += Buffer.from(chunk);
    })();
    await expect(reading).rejects.toThrow(TransportError);
    expect([status, text]).toEqual([200, 'hi']);
  });

  it('part of a short response: the request can be aborted', async () => {
    const half = [framed(headers, 4, 1, [ok, ...lengthOf(5)]), framed(data, 0, 1, [0x68, 0x69])];
    const { connection, gone } = await connectTo(answering(Buffer.concat([settings, ...half])));
    const controller = new AbortController();
    const sent = connection.send({ ...get, signal: controller.signal });
    while (connection.awaited > 0) await new Promise(setImmediate);
    controller.abort(new Error('enough'));
    await expect(sent).rejects.toThrow('enough');
    expect([gone(), connection.hasRoom]).toEqual([0, true]);
  });
});
