import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '@coxswain/client';
import { startUpstreamServer, type UpstreamServer } from '../../../test/upstream-server.ts';
import { decodeMessage, encodeMessage, Flag, type Message, Rcode } from '../../wire/index.ts';
import { answersOf, setUp, testContext, testQuery } from '../test-context.test-data.ts';
import { answerTo, udpExchange } from './exchange.ts';

let upstream: UpstreamServer;
beforeEach(async () => {
  upstream = await startUpstreamServer();
});
afterEach(() => upstream.close());

const www = testQuery('www.example.org.');

/** Sets up `forward` with the system's clock: other servers take real time. */
async function forwarding(text: string) {
  const context = { ...testContext(), clock: systemClock };
  const { plugin } = await setUp(text, context);
  const handler = plugin.handler?.(() => ({
    rcode: Rcode.REFUSED,
    flags: 0,
    answers: [],
    authorities: [],
    additionals: [],
  }));
  const stop = new AbortController();
  await plugin.start?.(stop.signal);
  return {
    context,
    ask: async (query = www) => {
      const reply = await handler?.(query);
      if (!reply) throw new Error('no handler');
      return reply;
    },
    stop: async () => {
      stop.abort();
      await plugin.stopped?.();
    },
  };
}

describe('forward', () => {
  it('asks over the protocol of the client, and keeps TCP connections', async () => {
    const { ask, stop } = await forwarding(`forward . 127.0.0.1:${upstream.port}`);
    const tcp = { ...www, client: { ...www.client, protocol: 'tcp' as const } };
    for (const query of [www, tcp, tcp]) {
      expect(answersOf(await ask(query)).sort()).toEqual([
        'www.example.org. 20 IN A 192.0.2.2',
        'www.example.org. 300 IN A 192.0.2.1',
      ]);
    }
    await stop();
  });

  it('asks again over TCP when the answer was cut off and it shall prefer UDP', async () => {
    upstream.respond = (answer) => ({ ...answer, flags: answer.flags | Flag.TC, answers: [] });
    const { ask, stop } = await forwarding(`forward . 127.0.0.1:${upstream.port} {\n prefer_udp\n}`);
    await ask();
    expect(upstream.asked).toHaveLength(2);
    await stop();
  });

  it('asks another server when one does not answer, and only that one while the first is down', async () => {
    const dead = await startUpstreamServer();
    await dead.close();
    const text = `forward . 127.0.0.1:${dead.port} 127.0.0.1:${upstream.port} {\n policy sequential\n max_fails 1\n health_check 10ms\n}`;
    const { ask, stop, context } = await forwarding(text);
    expect(answersOf(await ask())).toHaveLength(2);
    const failures = context.metrics.proxyHealthFailures.with('forward', `127.0.0.1:${dead.port}`);
    while (failures.value === 0) await ask();
    expect(answersOf(await ask())).toHaveLength(2);
    await stop();
  });

  it('says why nobody answered', async () => {
    const dead = await startUpstreamServer();
    await dead.close();
    const { ask, stop } = await forwarding(`forward . 127.0.0.1:${dead.port}`);
    const { rcode, error } = await ask();
    expect([rcode, error?.message]).toEqual([Rcode.SERVFAIL, `read udp 127.0.0.1:${dead.port}: recvmsg ECONNREFUSED`]);
    await stop();
  });

  it('leaves other domains, and exceptions, to the next plug-in', async () => {
    const { ask, stop } = await forwarding(
      `forward example.org 127.0.0.1:${upstream.port} {\n except www.example.org\n}`,
    );
    expect((await ask()).rcode).toBe(Rcode.REFUSED);
    expect((await ask(testQuery('example.com.'))).rcode).toBe(Rcode.REFUSED);
    expect((await ask(testQuery('nodata.example.org.'))).rcode).toBe(Rcode.NOERROR);
    await stop();
  });

  it('asks the next server after a response code, if told so', async () => {
    const text = `forward . 127.0.0.1:${upstream.port} 127.0.0.1:${upstream.port} {\n failover SERVFAIL\n}`;
    const { ask, stop } = await forwarding(text);
    expect((await ask(testQuery('servfail.example.org.'))).rcode).toBe(Rcode.SERVFAIL);
    expect(upstream.asked).toHaveLength(2);
    await stop();
  });

  it('refuses queries above its limit', async () => {
    upstream.respond = () => undefined;
    const text = `forward . 127.0.0.1:${upstream.port} {\n max_concurrent 1\n read_timeout 50ms\n max_connect_attempts 1\n}`;
    const { ask, stop } = await forwarding(text);
    const first = ask();
    expect((await ask()).rcode).toBe(Rcode.REFUSED);
    expect((await first).error?.message).toContain('i/o timeout');
    await stop();
  });
});

describe('an answer of another server', () => {
  const query: Message = {
    id: 1234,
    flags: Flag.RD,
    questions: [{ name: 'www.example.org.', type: 1, class: 1 }],
    answers: [],
    authorities: [],
    additionals: [],
  };
  const packet = (change: Partial<Message>): Buffer => encodeMessage({ ...query, flags: Flag.QR, ...change });

  it('has the same id and question', () => {
    expect(answerTo(query, packet({}))).toBeDefined();
    expect(answerTo(query, packet({ questions: [{ name: 'WWW.example.ORG.', type: 1, class: 1 }] }))).toBeDefined();
    const others = [
      packet({ id: 1235 }),
      packet({ flags: 0 }),
      packet({ questions: [] }),
      packet({ questions: [{ name: 'other.example.org.', type: 1, class: 1 }] }),
      packet({ questions: [{ name: 'www.example.org.', type: 28, class: 1 }] }),
      packet({ questions: [...query.questions, ...query.questions] }),
      packet({}).subarray(0, 14),
      Buffer.alloc(0),
    ];
    expect(others.map((other) => answerTo(query, other))).toEqual(others.map(() => undefined));
  });

  it('is waited for while others arrive', async () => {
    upstream.respond = (answer) => ({ ...answer, id: (answer.id + 1) & 0xffff });
    const to = { address: '127.0.0.1', port: upstream.port };
    await expect(udpExchange(to, query, 30, systemClock)).rejects.toThrow('i/o timeout');
    expect(decodeMessage(encodeMessage(query)).id).toBe(1234);
  });
});
