import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { type InProcessCall, InProcessTransport } from './in-process-transport.ts';
import { TransportError } from './transport.ts';

type Request = Parameters<InProcessCall>[0];
type Stream = Extract<NonNullable<Awaited<ReturnType<InProcessCall>>['body']>, { stream: unknown }>['stream'];

const get = { method: 'GET', url: '/', headers: {} } as const;
const streaming = (stream: Stream) =>
  new InProcessTransport(async () => ({ status: 200, headers: {}, body: { stream } }));
const bytes = (length: number): Uint8Array => new Uint8Array(length);

describe('InProcessTransport', () => {
  it('pauses a writer while the reader is slow, and resumes it each time', async () => {
    const total = 8 * 1024 * 1024;
    let written = 0;
    const transport = streaming((sink) => {
      const write = (): void => {
        while (written < total) {
          written += 64 * 1024;
          if (!sink.write(bytes(64 * 1024))) return;
        }
        sink.end();
      };
      sink.onDrain(write);
      write();
    });
    const { body } = await transport.send(get);
    expect(written).toBeLessThan(total / 4);
    let read = 0;
    for await (const chunk of body.chunks()) {
      read += chunk.length;
      expect(written - read).toBeLessThanOrEqual(1024 * 1024);
    }
    expect(read).toBe(total);
  });

  it('yields to timers and sockets during an endless sequence of calls', async () => {
    const transport = new InProcessTransport(async () => ({ status: 200, headers: {} }));
    let isOver = false;
    setTimeout(() => {
      isOver = true;
    }, 10);
    // A timer that never fires would hang the test.
    for (const end = performance.now() + 10_000; !isOver && performance.now() < end; ) await transport.send(get);
    expect(isOver).toBe(true);
  });

  it('notifies the server when the reader stops', async () => {
    let isClosed = false;
    const transport = streaming((sink) => {
      sink.onClose(() => {
        isClosed = true;
      });
      sink.write(bytes(1));
    });
    for await (const _ of (await transport.send(get)).body.chunks()) break;
    expect(isClosed).toBe(true);
  });

  it('reports a response aborted by the server, after its earlier chunks', async () => {
    const transport = streaming((sink) => {
      sink.write(bytes(3));
      sink.destroy();
    });
    const { body } = await transport.send(get);
    const chunks = body.chunks()[Symbol.asyncIterator]();
    expect((await chunks.next()).value).toEqual(bytes(3));
    await expect(chunks.next()).rejects.toBeInstanceOf(TransportError);
  });

  /** A response whose chunks all use the same memory. */
  const inOneMemory = (): InProcessTransport => {
    const memory = new Uint8Array(4);
    return new InProcessTransport(async () => ({
      status: 200,
      headers: {},
      body: {
        stream(sink) {
          let round = 0;
          const next = (): void => {
            if (round === 3) {
              sink.end();
              return;
            }
            memory.fill(0x30 + round++);
            sink.write(memory, next);
          };
          next();
        },
      },
    }));
  };

  it('copies a chunk before the writer reuses its memory', async () => {
    const { body } = await inOneMemory().send(get);
    expect(new TextDecoder().decode(await body.bytes())).toBe('000011112222');
  });

  it('makes the writer wait only for borrowed chunks', async () => {
    const read = async (options?: { borrowed: boolean }): Promise<string[]> => {
      const { body } = await inOneMemory().send(get);
      const chunks = body.chunks(options)[Symbol.asyncIterator]();
      const seen: string[] = [];
      for (let chunk = await chunks.next(); !chunk.done; chunk = await chunks.next()) {
        const { value } = chunk;
        // By then a writer that was not paused has continued.
        await new Promise((resolve) => setImmediate(resolve));
        seen.push(new TextDecoder().decode(value));
      }
      return seen;
    };
    expect(await read()).toEqual(['0000', '1111', '2222']);
    expect(await read({ borrowed: true })).toEqual(['0000', '1111', '2222']);
  });

  it('reports a failure of the server', async () => {
    const cause = new Error('bug');
    const transport = new InProcessTransport(() => Promise.reject(cause));
    await expect(transport.send(get)).rejects.toMatchObject({ name: 'TransportError', cause });
  });

  it('joins the chunks of a body, and several values of a header', async () => {
    const seen: Request[] = [];
    const transport = new InProcessTransport(async (request) => {
      seen.push(request);
      return { status: 200, headers: {}, body: [bytes(1), bytes(2)] };
    });
    const { body } = await transport.send({ ...get, headers: { 'impersonate-group': ['a', 'b'] } });
    expect((await body.bytes()).length).toBe(3);
    expect(seen[0]!.headers).toEqual({ 'impersonate-group': 'a, b' });
  });

  it('aborts the request in the server with the signal, and removes the listener', async () => {
    const abort = new AbortController();
    let inServer: AbortSignal | undefined;
    const call: InProcessCall = ({ signal }) => {
      inServer = signal;
      return new Promise(() => {});
    };
    // A fair transport might not have called the server yet.
    const transport = new InProcessTransport(call, { fair: false });
    const all = Promise.allSettled(Array.from({ length: 20 }, () => transport.send({ ...get, signal: abort.signal })));
    expect(getEventListeners(abort.signal, 'abort').length).toBe(1);
    abort.abort(new Error('enough'));
    expect(inServer?.reason).toBe(abort.signal.reason);
    // Does not wait for a server that ignores the signal.
    expect((await all).map((result) => result.status === 'rejected' && result.reason)).toEqual(
      Array(20).fill(abort.signal.reason),
    );
    expect(getEventListeners(abort.signal, 'abort')).toEqual([]);
  });
});
