import { once } from 'node:events';
import { Readable } from 'node:stream';
import type { ResponseSink } from '@coxswain/component-base/http';
import { describe, expect, it } from 'vitest';
import { responseBody } from './response-body.ts';

/** A client that reads a number of chunks, and more on request. */
class Client implements ResponseSink {
  readonly pendingBytes = 0;
  taken = '';
  ending = '';
  drain: () => void = () => {};
  leave: () => void = () => {};
  #credit: number;

  constructor(credit = Number.POSITIVE_INFINITY) {
    this.#credit = credit;
  }

  write(chunk: Uint8Array): boolean {
    this.taken += Buffer.from(chunk).toString();
    return --this.#credit > 0;
  }

  more(credit: number): void {
    this.#credit = credit;
    this.drain();
  }

  onDrain(callback: () => void): void {
    this.drain = callback;
  }

  onClose(callback: () => void): void {
    this.leave = callback;
  }

  end(): void {
    this.ending += 'end ';
  }

  destroy(): void {
    this.ending += 'cut ';
  }
}

describe('responseBody', () => {
  it('waits while the client does not read', async () => {
    const source = Readable.from(['a', 'b', 'c', 'd', 'e'].map((text) => Buffer.from(text)));
    const client = new Client(2);
    responseBody(source, 'break').stream(client);
    await once(source, 'pause');
    expect(client.taken).toBe('ab');
    client.more(2);
    await once(source, 'pause');
    expect(client.taken).toBe('abcd');
    client.more(9);
    await once(source, 'close');
    expect([client.taken, client.ending]).toEqual(['abcde', 'end ']);
  });

  it.each([
    ['break', 'cut '],
    ['end', 'end '],
  ] as const)('on an error of the stream does %s', async (onError, ending) => {
    const source = new Readable({ read() {} });
    const client = new Client();
    responseBody(source, onError).stream(client);
    source.push('half');
    await once(source, 'data');
    source.destroy(new Error('gone'));
    await new Promise((resolve) => source.once('close', resolve));
    expect([client.taken, client.ending]).toEqual(['half', ending]);
  });

  it('handles a stream that failed before it was read', async () => {
    const source = new Readable({ read() {} });
    const body = responseBody(source, 'break');
    source.destroy(new Error('gone'));
    await new Promise((resolve) => source.once('close', resolve));
    const client = new Client();
    body.stream(client);
    expect(client.ending).toBe('cut ');
  });

  it('destroys the stream when the client disconnects', async () => {
    const source = new Readable({ read() {} });
    const client = new Client();
    responseBody(source, 'break').stream(client);
    client.leave();
    await once(source, 'close');
    expect(source.destroyed).toBe(true);
  });
});
