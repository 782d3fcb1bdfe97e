import type { Pod } from '@coxswain/api/core/v1';
import { FakeClock } from '@coxswain/client';
import { beforeEach, expect, it } from 'vitest';
import { PodEvents } from '../pods/pod-events.ts';
import { Preemptions } from './preemptions.ts';

let clock: FakeClock;
let log: string[];
let preemptions: Preemptions;
beforeEach(() => {
  clock = new FakeClock();
  log = [];
  const recorder = {
    event: ({ metadata }: Pod, type: string, reason: string) => void log.push(`${type} ${reason} ${metadata.name}`),
  };
  preemptions = new Preemptions({ events: new PodEvents(recorder as never), clock });
});

const workerOf = (uid: string, graceSeconds = 1) => ({
  uid,
  pod: { metadata: { name: uid, uid }, spec: { containers: [], terminationGracePeriodSeconds: graceSeconds } },
  evict: () => void log.push(`end ${uid}`),
  block: () => void log.push(`block ${uid}`),
  unblock: () => void log.push(`start ${uid}`),
});

it('a critical pod starts when all of its victims have ended', async () => {
  preemptions.start(workerOf('critical'), [workerOf('a'), workerOf('b')]);
  preemptions.ended('a');
  expect(preemptions.isWaiting('critical')).toBe(true);
  expect(['a', 'b'].filter((uid) => preemptions.isVictim(uid))).toEqual(['b']);
  preemptions.ended('b');
  expect(preemptions.isWaiting('critical')).toBe(false);
  expect(log).toEqual([
    'Warning Preempting a',
    'end a',
    'Warning Preempting b',
    'end b',
    'block critical',
    'start critical',
  ]);
  expect(clock.nextInMs).toBeUndefined();
});

it('pods that are admitted during a preemption wait, too', () => {
  preemptions.start(workerOf('critical'), [workerOf('a')]);
  preemptions.start(workerOf('later'), []);
  preemptions.ended('a');
  expect(log.slice(2)).toEqual(['block critical', 'block later', 'start critical', 'start later']);
  preemptions.start(workerOf('last'), []);
  expect(log).toHaveLength(6);
});

it('a victim is waited for at most 1.5 times its grace period', async () => {
  preemptions.start(workerOf('critical'), [workerOf('stuck', 20)]);
  await clock.advance(29_999);
  expect(log).not.toContain('start critical');
  await clock.advance(1);
  expect(log.slice(-2)).toEqual(['Warning ExceededGracePeriod stuck', 'start critical']);
});
