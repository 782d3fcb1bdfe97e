import type { Container, Pod } from '@coxswain/api/core/v1';
import { FakeClock } from '@coxswain/client';
import { beforeEach, expect, it } from 'vitest';
import { PodEvents } from '../pods/pod-events.ts';
import type { RuntimePod } from '../runtime/runtime-pod.ts';
import { StartError } from '../runtime/start-error.ts';
import { RestartBackoff } from './restart-backoff.ts';

const container: Container = { name: 'web', image: 'i' };
const pod: Pod = { metadata: { name: 'p', namespace: 'ns', uid: '1' }, spec: { containers: [container] } };
let clock: FakeClock;
let events: string[];
beforeEach(() => {
  clock = new FakeClock();
  events = [];
});

function newBackoff(maxPeriodMs: number): RestartBackoff {
  const recorder = { event: (...args: readonly unknown[]) => void events.push(`${args[1]} ${args[2]}: ${args[3]}`) };
  return new RestartBackoff({ events: new PodEvents(recorder as never), clock, maxPeriodMs });
}

/** The pod in the runtime when its container has just exited. */
const exited = (): RuntimePod =>
  ({ containers: [{ name: 'web', state: 'Exited', finishedAtMs: clock.now() }] }) as unknown as RuntimePod;

/** Makes the container exit. Returns its back-off in seconds. */
async function waitedSeconds(backoff: RestartBackoff, changed: Container = container): Promise<number> {
  const runtimePod = exited();
  for (let seconds = 0; ; seconds++) {
    try {
      backoff.check(pod, runtimePod, changed);
      return seconds;
    } catch (error) {
      expect(error).toBeInstanceOf(StartError);
      await clock.advance(1000);
    }
  }
}

async function waits(backoff: RestartBackoff, times: number): Promise<number[]> {
  const all: number[] = [];
  for (let i = 0; i < times; i++) all.push(await waitedSeconds(backoff));
  return all;
}

it('the back-off doubles up to five minutes', async () => {
  expect(await waits(newBackoff(300_000), 8)).toEqual([0, 10, 20, 40, 80, 160, 300, 300]);
});

it('the longest back-off may be shorter than the default first one', async () => {
  expect(await waits(newBackoff(25_000), 5)).toEqual([0, 10, 20, 25, 25]);
  expect(await waits(newBackoff(3000), 4)).toEqual([0, 3, 3, 3]);
});

it('a container that ran for ten minutes has no back-off, for any longest back-off', async () => {
  const backoff = newBackoff(3000);
  await waits(backoff, 3);
  await clock.advance(601_000);
  expect(await waitedSeconds(backoff)).toBe(0);
  const other = newBackoff(40_000);
  await waits(other, 4);
  await clock.advance(590_000);
  expect(await waitedSeconds(other)).toBe(40);
  await clock.advance(601_000);
  expect(await waits(other, 2)).toEqual([0, 10]);
});

it('a container that has changed has no back-off', async () => {
  const backoff = newBackoff(300_000);
  await waits(backoff, 3);
  expect(await waitedSeconds(backoff, { ...container, image: 'other' })).toBe(0);
});

it('is in the message of the error', () => {
  const backoff = newBackoff(300_000);
  backoff.check(pod, exited(), container);
  const message = 'back-off 10s restarting failed container=web pod=p_ns(1)';
  expect(() => backoff.check(pod, exited(), container)).toThrow(
    expect.objectContaining({ reason: 'CrashLoopBackOff', message, retryAtMs: clock.now() + 10_000 }),
  );
  expect(events).toEqual(['Warning BackOff: Back-off restarting failed container web in pod p_ns(1)']);
});
