import type { Event } from '@coxswain/api/core/v1';
import { FakeClock } from '@coxswain/apimachinery/clock';
import { timeFromDate } from '@coxswain/apimachinery/time';
import { describe, expect, it } from 'vitest';
import { EventCorrelator, type EventPatch } from './event-correlator.ts';
import { EventNames } from './event-names.ts';

function start() {
  const clock = new FakeClock(Date.UTC(2026, 0, 1));
  const correlator = new EventCorrelator(clock);
  const names = new EventNames(clock, '');
  /** The event's name, count, message and, if there is one, patch; 'nothing' when the event is dropped. */
  const send = (message: string, changes: Partial<Event> = {}): (string | number | EventPatch)[] | 'nothing' => {
    const now = timeFromDate(new Date(clock.now()));
    const correlated = correlator.correlate(
      {
        metadata: { name: names.next('p'), namespace: 'ns' },
        involvedObject: { kind: 'Pod', namespace: 'ns', name: 'p', uid: 'u', apiVersion: 'v1' },
        reason: 'R',
        message,
        firstTimestamp: now,
        lastTimestamp: now,
        count: 1,
        type: 'Normal',
        source: { component: 'c', host: 'h' },
        ...changes,
      },
      () => names.next('p'),
    );
    if (!correlated) return 'nothing';
    const { event, patch } = correlated;
    return [event.metadata.name!, event.count!, event.message!, ...(patch ? [patch] : [])];
  };
  return { clock, correlator, send };
}

// The expected values are those of client-go's correlator, except for the last digits of names created at the same
// time.
describe('EventCorrelator', () => {
  it('counts repeated events', async () => {
    const { clock, send } = start();
    expect(send('same')).toEqual(['p.18867251edfa0000', 1, 'same']);
    await clock.advance(1000);
    const patch = (count: number, lastTimestamp: string) => ({ count, lastTimestamp, message: 'same' });
    expect(send('same')).toEqual(['p.18867251edfa0000', 2, 'same', patch(2, '2026-01-01T00:00:01Z')]);
    await clock.advance(1000);
    expect(send('same')).toEqual(['p.18867251edfa0000', 3, 'same', patch(3, '2026-01-01T00:00:02Z')]);
  });

  it('combines events that differ only in their message, from the tenth on', async () => {
    const { clock, send } = start();
    for (let i = 0; i < 9; i++) expect(send(`m${i}`).slice(1)).toEqual([1, `m${i}`]);
    await clock.advance(1000);
    const first = send('m9');
    expect(first.slice(1)).toEqual([1, '(combined from similar events): m9']);
    await clock.advance(1000);
    const message = '(combined from similar events): m10';
    expect(send('m10')).toEqual([first[0], 2, message, { count: 2, lastTimestamp: '2026-01-01T00:00:02Z', message }]);
    expect(send('m0', { reason: 'Another' }).slice(1)).toEqual([1, 'm0']);
  });

  it('does not combine events with more than ten minutes in between', async () => {
    const { clock, send } = start();
    for (let i = 0; i < 10; i++) send(`m${i}`);
    await clock.advance(600_001);
    expect(send('later').slice(1)).toEqual([1, 'later']);
  });

  it('passes a burst of 25 events of a source about an object, then one in five minutes, and counts them all', async () => {
    const { clock, send } = start();
    const heard = Array.from({ length: 27 }, () => send('m')).map((told) => (told === 'nothing' ? told : told[1]));
    expect(heard.slice(23)).toEqual([24, 25, 'nothing', 'nothing']);
    expect(send('m', { type: 'Warning' })[1]).toBe(1);
    expect(send('m', { involvedObject: { kind: 'Pod', name: 'other' } })[1]).toBe(1);
    await clock.advance(300_000);
    expect(send('m')[1]).toBe(28);
    expect(send('m')).toBe('nothing');
  });
});

describe('EventNames', () => {
  it('never repeats a name, and uses a random one when the object’s name is not valid in an event name', () => {
    const clock = new FakeClock(Date.UTC(2026, 0, 1));
    const names = new EventNames(clock, '', () => 'random');
    expect([names.next('p'), names.next('p'), names.next('Not_valid'), names.next('x'.repeat(250))]).toEqual([
      'p.18867251edfa0000',
      'p.18867251edfa0001',
      'random',
      'random',
    ]);
  });

  it('does not repeat the names of another source, even when the clock stands still', () => {
    const clock = new FakeClock(Date.UTC(2026, 0, 1));
    const sources = ['kubelet', 'default-scheduler', 'controller-manager'].map((name) => new EventNames(clock, name));
    const names = sources.flatMap((source) => Array.from({ length: 100 }, () => source.next('p')));
    expect(new Set(names).size).toBe(300);
    expect(names.filter((name) => !name.startsWith('p.18867251e'))).toEqual([]);
  });

  it('drops entries of objects without recent events', async () => {
    const { clock, correlator, send } = start();
    const ofPod = (uid: string) => ({ involvedObject: { kind: 'Pod', namespace: 'ns', name: 'p', uid } });
    for (let pod = 0; pod < 100; pod++) send('same', ofPod(`${pod}`));
    expect(correlator.size).toBe(300);
    // Similar messages are grouped within ten minutes, and a token is added in five.
    await clock.advance(11 * 60_000);
    send('same', ofPod('another'));
    expect(correlator.size).toBe(103);
    await clock.advance(50 * 60_000);
    send('same', ofPod('another'));
    expect(correlator.size).toBe(3);
    // The last event increments the count of one from fifty minutes before.
    expect(send('same', ofPod('another'))[1]).toBe(3);
  });
});
