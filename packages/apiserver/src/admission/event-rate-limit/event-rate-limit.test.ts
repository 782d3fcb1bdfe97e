import { describe, expect, it } from 'vitest';
import { admit, newContext, type TestWrite } from '../plugin-runner.test-data.ts';
import { type EventLimit, eventRateLimit } from './event-rate-limit.ts';

const event = (more: object = {}): TestWrite => ({
  send: 'CREATE v1 events Event',
  object: { metadata: { name: 'e' }, source: { component: 'kubelet' }, involvedObject: { name: 'p' }, ...more },
});
const limit = (type: EventLimit['type'], burst = 1, cacheSize = 10): EventLimit => ({ type, qps: 1, burst, cacheSize });

describe('EventRateLimit', () => {
  const start = (...limits: EventLimit[]) => {
    const clock = { now: 0 };
    const plugin = eventRateLimit(newContext([], { now: () => new Date(clock.now) }), limits);
    return { clock, send: (write: TestWrite) => admit(plugin, write) };
  };
  const refused = (why: string) => `Too many requests: limit reached on type ${why}`;

  it('allows a burst of events, and then one a second', async () => {
    const { clock, send } = start(limit('Server', 2));
    const all = [await send(event()), await send(event()), await send(event())];
    expect(all.map((answer) => typeof answer)).toEqual(['object', 'object', 'string']);
    expect(all[2]).toBe(refused('Server for key '));
    clock.now = 999;
    expect(await send(event())).toBe(refused('Server for key '));
    clock.now = 1000;
    expect(typeof (await send(event()))).toBe('object');
    expect(await send(event())).toBe(refused('Server for key '));
  });

  it('counts each namespace, user and source separately', async () => {
    const { send } = start(limit('Namespace'), limit('User', 2), limit('SourceAndObject', 2));
    expect(typeof (await send(event()))).toBe('object');
    expect(await send(event())).toBe(refused('Namespace for key ns'));
    expect(await send({ ...event(), namespace: 'other' })).toBe(
      'Too many requests: [limit reached on type User for key somebody, limit reached on type SourceAndObject for key kubeletp]',
    );
    expect(
      typeof (await send({
        ...event({ involvedObject: { kind: 'Pod', name: 'q' } }),
        namespace: 'third',
        user: { username: 'alice' },
      })),
    ).toBe('object');
  });

  it('does not count dry runs and events of events.k8s.io', async () => {
    const { send } = start(limit('Server'));
    await send({ ...event(), dryRun: true });
    await send({ ...event(), send: 'CREATE events.k8s.io/v1 events Event' });
    expect(typeof (await send(event()))).toBe('object');
  });

  it('evicts the least recently used key', async () => {
    const { send } = start(limit('Namespace', 1, 2));
    for (const namespace of ['a', 'b', 'c']) await send({ ...event(), namespace });
    expect(await send({ ...event(), namespace: 'c' })).toBe(refused('Namespace for key c'));
    expect(typeof (await send({ ...event(), namespace: 'a' }))).toBe('object');
  });
});
