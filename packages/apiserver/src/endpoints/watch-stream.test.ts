import { FakeClock } from '@coxswain/apimachinery/clock';
import type { ResponseSink } from '@coxswain/component-base/http';
import { describe, expect, it } from 'vitest';
import { WatchStream } from './watch-stream.ts';

/** A sink that reports backpressure for every write unless `open`. `drain` tells the stream to continue. */
class StubbornSink implements ResponseSink {
  written = '';
  state: 'open' | 'ended' | 'cut' = 'open';
  open = false;
  readonly pendingBytes = 0;
  #drain: () => void = () => {};
  #close: () => void = () => {};

  writes = 0;

  write(chunk: Uint8Array): boolean {
    this.writes++;
    this.written += Buffer.from(chunk).toString();
    return this.open;
  }

  drain(): void {
    this.#drain();
  }

  onDrain(callback: () => void): void {
    this.#drain = callback;
  }

  onClose(callback: () => void): void {
    this.#close = callback;
  }

  end(): void {
    this.state = 'ended';
    this.#close();
  }

  destroy(): void {
    this.state = 'cut';
    this.#close();
  }
}

const start = (sink: StubbornSink) => {
  const sent = { events: 0, bytes: 0 };
  const pace = { busy: false, flush: () => {} };
  const pacer = {
    clock: new FakeClock(),
    isTooSoon: () => pace.busy,
    schedule: (flush: () => void) => {
      pace.flush = flush;
    },
    join: (frames: readonly Uint8Array[]) => Buffer.concat(frames),
  };
  const stream = new WatchStream(sink, pacer, (events, bytes) => {
    sent.events += events;
    sent.bytes += bytes;
  });
  let closed = 0;
  stream.onClose(() => closed++);
  return { stream, sent, pace, closed: () => closed };
};

describe('WatchStream', () => {
  it('queues frames during backpressure, and sends them together in order', () => {
    const sink = new StubbornSink();
    const { stream, sent } = start(sink);
    for (const frame of ['a', 'b', 'c']) stream.write(Buffer.from(frame), 1);
    expect(sink.written).toBe('a');
    sink.drain();
    expect(sink.written).toBe('abc');
    expect(sent).toEqual({ events: 3, bytes: 3 });
  });

  it('sends frames written in quick succession together', () => {
    const sink = new StubbornSink();
    sink.open = true;
    const { stream, pace } = start(sink);
    stream.write(Buffer.from('at once '), 1);
    pace.busy = true;
    stream.write(Buffer.from('later '), 1);
    stream.write(Buffer.from('together'), 1);
    expect([sink.written, sink.writes]).toEqual(['at once ', 1]);
    pace.flush();
    expect([sink.written, sink.writes]).toEqual(['at once later together', 2]);
  });

  it('ends at once, after sending what was paced', () => {
    const sink = new StubbornSink();
    sink.open = true;
    const { stream, pace } = start(sink);
    pace.busy = true;
    stream.write(Buffer.from('late'), 1);
    stream.end();
    expect([sink.written, sink.state]).toEqual(['late', 'ended']);
  });

  it('sends initial events first, and makes them no faster than the client reads', () => {
    const sink = new StubbornSink();
    const { stream } = start(sink);
    let made = 0;
    const initial = (function* () {
      for (const frame of ['1', '2', '3']) {
        made++;
        yield Buffer.from(frame);
      }
    })();
    stream.pour(initial, 3);
    stream.write(Buffer.from('live'), 1);
    expect([sink.written, made]).toEqual(['1', 1]);
    while (sink.written.length < 7) sink.drain();
    expect(sink.written).toBe('123live');
  });

  it('ends after sending everything that was written before', () => {
    const sink = new StubbornSink();
    const { stream, closed } = start(sink);
    stream.write(Buffer.from('a'), 1);
    stream.write(Buffer.from('b'), 1);
    stream.end();
    stream.write(Buffer.from('too late'), 1);
    expect(sink.state).toBe('open');
    sink.drain();
    sink.drain();
    expect([sink.written, sink.state, closed()]).toEqual(['ab', 'ended', 1]);
  });

  it('closes the connection of a client that leaves too much unread, and drops its queue', () => {
    const sink = new StubbornSink();
    const { stream, closed } = start(sink);
    const frame = Buffer.alloc(1024 * 1024);
    for (let i = 0; i < 20 && sink.state === 'open'; i++) stream.write(frame, 1);
    expect([sink.state, closed(), stream.closed]).toEqual(['cut', 1, true]);
    expect(sink.written.length).toBe(frame.length);
  });
});

it('a WatchStream closes the connection and reports the error when initial frames cannot be made', () => {
  const sink = new StubbornSink();
  const errors: unknown[] = [];
  const pacer = { clock: new FakeClock(), isTooSoon: () => false, schedule: () => {}, join: Buffer.concat };
  const stream = new WatchStream(
    sink,
    pacer,
    () => {},
    (error) => errors.push(error),
  );
  const broken = new Error('cannot be made');
  const frames = function* (): Generator<Uint8Array> {
    yield Buffer.from('one');
    throw broken;
  };
  stream.pour(frames(), 2);
  expect(sink.state).toBe('open');
  sink.drain();
  expect({ state: sink.state, written: sink.written, errors }).toEqual({
    state: 'cut',
    written: 'one',
    errors: [broken],
  });
});
