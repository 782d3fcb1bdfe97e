import { isGone } from '@coxswain/apimachinery/errors';
import type { WatchEvent } from '@coxswain/apimachinery/watch';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChunkQueue } from '../transport/chunk-queue.ts';
import { TransportError } from '../transport/transport.ts';
import { JsonWatch } from './json-watch.ts';
import type { WatchEnd } from './watch.ts';

interface Thing {
  readonly metadata: { readonly name: string };
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const event = (name: string, type = 'ADDED'): string => JSON.stringify({ type, object: { metadata: { name } } });

/** An event whose spec is parsed on first access. */
const largePod = (name: string): string => {
  const spec = { text: 'x'.repeat(600) };
  return JSON.stringify({ type: 'ADDED', object: { kind: 'Pod', apiVersion: 'v1', metadata: { name }, spec } });
};

/** Reads all events of a watch with this body, and why it ended. */
async function read(chunks: readonly Uint8Array[], end: (body: ChunkQueue) => void = (body) => body.end()) {
  const body = new ChunkQueue();
  for (const chunk of chunks) body.write(chunk);
  end(body);
  const watch = new JsonWatch<Thing>(body);
  const events: WatchEvent<Thing>[] = [];
  for await (const each of watch) events.push(each);
  return { events, end: await watch.ended };
}

const names = (events: readonly WatchEvent<Thing>[]): string[] =>
  events.map(({ object }) => (object as Thing).metadata.name);

describe('JsonWatch', () => {
  it('returns the same events for any chunks', async () => {
    const names_ = fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(names_, fc.array(fc.nat(400)), fc.boolean(), async (wanted, cuts, hasLastBreak) => {
        const text = wanted.map((name) => event(name)).join('\n') + (hasLastBreak ? '\n' : '');
        const bytes = encode(text);
        const at = [...new Set([0, ...cuts.filter((cut) => cut < bytes.length), bytes.length])].sort((a, b) => a - b);
        const chunks = at.slice(1).map((end, i) => bytes.subarray(at[i], end));
        const { events, end } = await read(chunks);
        expect(names(events)).toEqual(wanted);
        expect(end).toEqual({ reason: 'closed' });
      }),
    );
  });

  const ends: Record<string, { text: string; names: string[]; end: Partial<WatchEnd> | RegExp }> = {
    'empty lines are skipped': { text: `\n\r\n${event('a')}\n  \n`, names: ['a'], end: { reason: 'closed' } },
    'an empty body is a watch without events': { text: '', names: [], end: { reason: 'closed' } },
    'a line that is not JSON ends it, after the earlier events': {
      text: `${event('a')}\n<html>\n${event('b')}\n`,
      names: ['a'],
      end: /not an event/,
    },
    'JSON that is not an event ends it': { text: `${event('a')}\n{"kind":"Pod"}\n`, names: ['a'], end: /not an event/ },
    'an event of an unknown type ends it': { text: `${event('a', 'ODD')}\n`, names: [], end: /not an event/ },
    'an end in the middle of an event counts as a broken connection': {
      text: `${event('a')}\n${event('b').slice(0, -3)}`,
      names: ['a'],
      end: /cut off in the middle/,
    },
    'an end in the middle of a large object, too': {
      text: `${largePod('a')}\n${largePod('b').slice(0, -4)}}}`,
      names: ['a'],
      end: /cut off in the middle/,
    },
  };
  it.each(Object.entries(ends))('%s', async (_, { text, names: wanted, end }) => {
    const result = await read([encode(text)]);
    expect(names(result.events)).toEqual(wanted);
    if (!(end instanceof RegExp)) expect(result.end).toEqual(end);
    else expect(result.end).toMatchObject({ reason: 'broken', error: { message: expect.stringMatching(end) } });
  });

  it("ends with the server's ERROR as a status, after the earlier events", async () => {
    const gone = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 410, reason: 'Gone', message: 'too old' };
    const text = `${event('a')}\n${JSON.stringify({ type: 'ERROR', object: gone })}\n${event('b')}\n`;
    const { events, end } = await read([encode(text)]);
    expect(names(events)).toEqual(['a']);
    expect(end).toMatchObject({ reason: 'status' });
    expect(end.reason === 'status' && isGone(end.error)).toBe(true);
  });

  it('reports a broken connection, after the earlier events', async () => {
    const failure = new TransportError('reset', { code: 'ECONNRESET' });
    const { events, end } = await read([encode(`${event('a')}\n`)], (body) => body.fail(failure));
    expect(names(events)).toEqual(['a']);
    expect(end).toEqual({ reason: 'broken', error: failure });
  });

  it('rejects an event that is too long', async () => {
    const piece = new Uint8Array(1024 * 1024).fill(0x20);
    const { end } = await read(Array.from({ length: 20 }, () => piece));
    expect(end).toMatchObject({ reason: 'broken', error: { message: 'a watch event is too long' } });
  });

  it('returns all events of a chunk in one batch', async () => {
    const body = new ChunkQueue();
    body.write(encode(`${event('a')}\n${event('b')}\n${event('c').slice(0, 5)}`));
    const watch = new JsonWatch<Thing>(body);
    expect(names((await watch.nextBatch())!)).toEqual(['a', 'b']);
    body.write(encode(`${event('c').slice(5)}\n`));
    expect(names((await watch.nextBatch())!)).toEqual(['c']);
  });

  it.each<[string, (watch: JsonWatch<Thing>) => unknown]>([
    ['asked for the next batch', (watch) => watch.nextBatch()],
    ['stopped', (watch) => watch.stop()],
  ])('does not keep the chunk of unread objects when it is %s', async (_, goOn) => {
    const body = new ChunkQueue();
    const chunk = encode(['a', 'b', 'c', 'd'].map((name) => `${largePod(name)}\n`).join(''));
    body.write(chunk);
    const watch = new JsonWatch<Thing>(body);
    const events = (await watch.nextBatch())!;
    void goOn(watch);
    chunk.fill(0);
    expect(events).toEqual(['a', 'b', 'c', 'd'].map((name) => JSON.parse(largePod(name))));
    watch.stop();
  });

  it('keeps events unchanged when the memory of chunks is reused', async () => {
    const names_ = fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(names_, fc.array(fc.nat(6000), { maxLength: 6 }), async (wanted, cuts) => {
        const bytes = Buffer.from(wanted.map((name) => `${largePod(name)}\n`).join(''));
        const body = new ChunkQueue();
        const at = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
        for (const [i, from] of at.slice(0, -1).entries()) {
          const memory = Buffer.from(bytes.subarray(from, at[i + 1]));
          body.write(memory, () => memory.fill('x'));
        }
        body.end();
        const events: WatchEvent<Thing>[] = [];
        for await (const each of new JsonWatch<Thing>(body)) events.push(each);
        expect(events).toEqual(wanted.map((name) => JSON.parse(largePod(name))));
      }),
    );
  });

  it('stops at once, and closes the connection, while a batch is awaited', async () => {
    const body = new ChunkQueue();
    let isClosed = false;
    body.onClose(() => {
      isClosed = true;
    });
    const watch = new JsonWatch<Thing>(body);
    const batch = watch.nextBatch();
    watch.stop();
    expect(await batch).toBeUndefined();
    expect(await watch.ended).toEqual({ reason: 'stopped' });
    expect(isClosed).toBe(true);
  });

  it('is stopped by the signal even when it is not read, and removes its listener', async () => {
    const abort = new AbortController();
    const watch = new JsonWatch<Thing>(new ChunkQueue(abort.signal), abort.signal);
    abort.abort(new Error('enough'));
    expect(await watch.ended).toEqual({ reason: 'stopped' });
    expect(await watch.nextBatch()).toBeUndefined();
  });

  it('is stopped by leaving a for await loop', async () => {
    const body = new ChunkQueue();
    body.write(encode(`${event('a')}\n${event('b')}\n`));
    const watch = new JsonWatch<Thing>(body);
    for await (const _ of watch) break;
    expect(await watch.ended).toEqual({ reason: 'stopped' });
  });
});
