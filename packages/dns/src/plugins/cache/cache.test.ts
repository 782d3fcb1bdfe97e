import { describe, expect, it } from 'vitest';
import { emptyReply, failure, type Query, type Reply } from '../../chain/index.ts';
import { parseRecord, Rcode } from '../../wire/index.ts';
import { answersOf, handlerOf, type TestContext, testContext, testQuery } from '../test-context.test-data.ts';

const soa = parseRecord('example.org. 120 IN SOA a. b. 1 2 3 4 60');
const answer = (ttl: number, text = '192.0.2.1'): Reply => ({
  ...emptyReply(Rcode.NOERROR),
  answers: [parseRecord(`www.example.org. ${ttl} IN A ${text}`)],
});
const www = testQuery('www.example.org.');

/** A server behind the cache, and the cache. */
async function cached(
  options: string,
  respond: (query: Query, asked: number) => Reply | Promise<Reply>,
  context = testContext(),
) {
  const state = { asked: 0, context };
  const handler = await handlerOf(options, context, (query) => {
    state.asked++;
    return respond(query, state.asked);
  });
  return { ...state, ask: async (query = www) => handler(query), asked: () => state.asked };
}

const ttls = (reply: Reply): number[] => [...reply.answers, ...reply.authorities].map(({ ttl }) => ttl);

const pass = (context: TestContext, seconds: number): Promise<void> => context.clock.advance(seconds * 1000);

describe('the cache', () => {
  it('answers again until the TTL is over, which counts down', async () => {
    const { ask, asked, context } = await cached('cache', () => answer(100));
    expect(ttls(await ask())).toEqual([100]);
    await pass(context, 40);
    expect(ttls(await ask(testQuery('WWW.example.org.')))).toEqual([60]);
    expect(asked()).toBe(1);
    await pass(context, 60);
    expect(ttls(await ask())).toEqual([100]);
    expect(asked()).toBe(2);
  });

  it('keeps answers for other types, classes and flags apart', async () => {
    const { ask, asked } = await cached('cache', () => answer(100));
    const edns = { udpSize: 1232, version: 0, extendedRcode: 0, flags: 0x8000, options: Buffer.alloc(0) };
    for (const query of [www, testQuery('www.example.org.', 'AAAA'), { ...www, edns }, { ...www, flags: 0x0110 }])
      await ask(query);
    expect(asked()).toBe(4);
  });

  it.each([
    [
      'the lowest TTL of all records',
      'cache',
      [parseRecord('www.example.org. 9 IN A 192.0.2.1'), parseRecord('www.example.org. 300 IN A 192.0.2.2')],
      [9, 9],
    ],
    ['the TTL of its option at most', 'cache 30', [parseRecord('www.example.org. 300 IN A 192.0.2.1')], [30]],
    ['five seconds at least', 'cache', [parseRecord('www.example.org. 0 IN A 192.0.2.1')], [5]],
    [
      'the minimum of its option',
      'cache {\n success 10 3600 60\n}',
      [parseRecord('www.example.org. 0 IN A 192.0.2.1')],
      [60],
    ],
  ])('gives answers %s', async (_title, options, answers, expected) => {
    const { ask } = await cached(options, () => ({ ...emptyReply(0), answers }));
    expect(ttls(await ask())).toEqual(expected);
  });

  it('keeps that a name does not exist, if the answer says for how long', async () => {
    const { ask, asked } = await cached('cache', ({ name }) => ({
      ...emptyReply(Rcode.NXDOMAIN),
      authorities: name.startsWith('www') ? [soa] : [],
    }));
    expect(ttls(await ask())).toEqual([120]);
    await ask();
    expect(asked()).toBe(1);
    const other = testQuery('other.example.org.');
    await ask(other);
    await ask(other);
    expect(asked()).toBe(3);
  });

  it('keeps a failure for five seconds, and reports its error once', async () => {
    const { ask, asked, context } = await cached('cache', () => failure('forward', new Error('nobody there')));
    expect((await ask()).error?.message).toBe('nobody there');
    expect(await ask()).toMatchObject({ rcode: Rcode.SERVFAIL });
    expect((await ask()).error).toBeUndefined();
    expect(asked()).toBe(1);
    await pass(context, 5);
    await ask();
    expect(asked()).toBe(2);
  });

  it('does not keep answers of zones that are disabled, refusals, and truncated ones', async () => {
    const { ask, asked } = await cached('cache {\n disable success example.org\n}', ({ name }) =>
      name.startsWith('refused')
        ? emptyReply(Rcode.REFUSED)
        : name.startsWith('cut')
          ? { ...answer(9), flags: 0x0200 }
          : answer(100),
    );
    for (const name of ['www.example.org.', 'refused.example.com.', 'cut.example.com.']) {
      await ask(testQuery(name));
      await ask(testQuery(name));
    }
    expect(asked()).toBe(6);
  });

  it('holds no more answers than its capacity', async () => {
    const { ask, context } = await cached('cache {\n success 10\n}', () => answer(100));
    for (let index = 0; index < 50; index++) await ask(testQuery(`name-${index}.example.org.`, 'ANY'));
    expect(context.metrics.cacheEntries.with('dns://:53', 'success', '.', '').value).toBeLessThanOrEqual(10);
  });

  it('lets the server answer again by itself, and counts that', async () => {
    const { ask, context } = await cached('cache', () => answer(100));
    const { reuse } = await ask();
    expect(reuse?.untilMs).toBe(context.clock.now() + 100_000);
    reuse?.onUse?.();
    expect(context.metrics.cacheHits.with('dns://:53', 'success', '.', '').value).toBe(1);
    expect(context.metrics.cacheRequests.with('dns://:53', '.', '').value).toBe(2);
  });
});

describe('prefetching', () => {
  it('renews an answer that is often asked for, shortly before its end, once at a time', async () => {
    const { ask, asked, context } = await cached('cache {\n prefetch 2 1m 10%\n}', (_, count) =>
      answer(100, `192.0.2.${count}`),
    );
    await ask();
    await pass(context, 80);
    await ask();
    expect(asked()).toBe(1);
    await pass(context, 11);
    await ask();
    await ask();
    expect(asked()).toBe(2);
    expect(answersOf(await ask())).toEqual(['www.example.org. 100 IN A 192.0.2.2']);
    expect((await ask()).reuse).toBeUndefined();
  });
});

describe('serving stale answers', () => {
  const failing = (_: Query, count: number): Reply =>
    count === 1 ? answer(10) : failure('forward', new Error('away'));

  it('answers with TTL 0 while there is no new answer, for the configured time', async () => {
    const { ask, context } = await cached('cache {\n serve_stale 1m\n servfail 0s\n}', failing);
    await ask();
    await pass(context, 30);
    expect(answersOf(await ask())).toEqual(['www.example.org. 0 IN A 192.0.2.1']);
    expect(context.metrics.cacheServedStale.with('dns://:53', '.', '').value).toBe(1);
    await pass(context, 41);
    expect(await ask()).toMatchObject({ rcode: Rcode.SERVFAIL });
  });

  it('asks in the background meanwhile', async () => {
    const { ask, context } = await cached('cache {\n serve_stale\n}', (_, count) => answer(10, `192.0.2.${count}`));
    await ask();
    await pass(context, 30);
    expect(answersOf(await ask())).toEqual(['www.example.org. 0 IN A 192.0.2.1']);
    await pass(context, 1);
    expect(answersOf(await ask())).toEqual(['www.example.org. 9 IN A 192.0.2.2']);
  });

  it('asks first if told so, and waits no longer than told', async () => {
    const { ask, context } = await cached('cache {\n serve_stale 1h verify 500ms\n}', (_, count) =>
      count === 1 ? answer(10) : count === 2 ? new Promise<Reply>(() => {}) : answer(10, '192.0.2.9'),
    );
    await ask();
    await pass(context, 30);
    const waiting = ask();
    await pass(context, 0.5);
    expect(answersOf(await waiting)).toEqual(['www.example.org. 0 IN A 192.0.2.1']);
  });
});
