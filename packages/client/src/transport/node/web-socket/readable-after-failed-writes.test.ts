import { Duplex } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readableAfterFailedWrites } from './readable-after-failed-writes.ts';

describe('readableAfterFailedWrites', () => {
  it.each([1, 3])('reads the last data of the other side, after %j concurrent writes', async (count) => {
    let tried = 0;
    const connection = readableAfterFailedWrites(
      new Duplex({
        read() {},
        write: (_chunk, _encoding, done) => {
          tried++;
          done(new Error('ECONNRESET'));
        },
      }),
    );
    connection.cork();
    for (let index = 0; index < count; index++) connection.write('input');
    connection.uncork();
    await new Promise((resolve) => connection.write('more', resolve));
    connection.push('last word');
    connection.push(null);
    const read: string[] = [];
    for await (const chunk of connection) read.push(String(chunk));
    expect([read, tried]).toEqual([['last word'], 1]);
  });
});
