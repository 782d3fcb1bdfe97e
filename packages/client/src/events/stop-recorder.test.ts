import type { Event } from '@coxswain/api/core/v1';
import { FakeClock } from '@coxswain/apimachinery/clock';
import { describe, expect, it } from 'vitest';
import { CoreEventRecorder } from './core-event-recorder.ts';
import { stopRecorder } from './stop-recorder.ts';

const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', namespace: 'default', uid: 'u' } };

/** A recorder whose events the server accepts when `answer` resolves. */
function start(answer: () => Promise<void>) {
  const clock = new FakeClock();
  const written: string[] = [];
  const create = async (event: Event): Promise<Event> => {
    await answer();
    written.push(event.message ?? '');
    return event;
  };
  const events = () => ({ create, patch: () => Promise.reject(new Error('not asked for')) });
  const recorder = new CoreEventRecorder({ events, source: { component: 'test' }, clock });
  return { clock, written, recorder };
}

describe('stopRecorder', () => {
  it('waits until the recorded events are written', async () => {
    const { clock, written, recorder } = start(() => new Promise((resolve) => setImmediate(resolve)));
    for (const message of ['a', 'b', 'c']) recorder.event(pod, 'Normal', message, message);
    await stopRecorder(recorder, clock);
    expect(written).toEqual(['a', 'b', 'c']);
    expect(clock.pending).toBe(0);
  });

  it('does not wait for an unreachable server', async () => {
    const { clock, written, recorder } = start(() => Promise.reject(new Error('connection refused')));
    recorder.event(pod, 'Normal', 'a', 'a');
    await clock.whenWaiting();
    await stopRecorder(recorder, clock);
    expect([written, clock.pending]).toEqual([[], 0]);
  });

  it('waits at most three seconds for a server that does not respond', async () => {
    let answer = (): void => {};
    const { clock, recorder } = start(
      () =>
        new Promise((_, reject) => {
          answer = () => reject(new Error('too late'));
        }),
    );
    recorder.event(pod, 'Normal', 'a', 'a');
    let isStopped = false;
    const stopped = stopRecorder(recorder, clock).then(() => {
      isStopped = true;
    });
    await clock.advance(2_999);
    expect(isStopped).toBe(false);
    await clock.advance(1);
    answer();
    await stopped;
  });
});
