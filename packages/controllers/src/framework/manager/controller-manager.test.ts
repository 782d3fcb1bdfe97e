import { RESTClient } from '@coxswain/client';
import { FakeTransport } from '@coxswain/client/testing';
import { afterEach, expect, it } from 'vitest';
import type { ControllerDefinition } from '../controller/controller.ts';
import { ControllerManager } from './controller-manager.ts';

const stop = new Map<AbortController, Promise<void>>();
afterEach(async () => {
  for (const [abort, ended] of stop) {
    abort.abort();
    await ended;
  }
  stop.clear();
});

/** Controllers that only say when they run, by name; two of them make a cluster ready. */
function start(whenOthersMay?: Promise<unknown>) {
  const transport = new FakeTransport();
  const running: string[] = [];
  const told: string[][] = [];
  const definition = (name: string, makesReady: boolean): ControllerDefinition => ({
    name,
    aliases: [],
    makesReady,
    create: () => ({
      run: async (signal) => {
        running.push(name);
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
    }),
  });
  const manager = new ControllerManager({
    rest: new RESTClient(transport),
    controllers: [
      definition('quota', false),
      definition('accounts', true),
      definition('jobs', false),
      definition('nodes', true),
    ],
    onRunning: (names) => told.push([...names]),
    ...(whenOthersMay && { whenOthersMay }),
  });
  const abort = new AbortController();
  const ended = manager.run(abort.signal);
  stop.set(abort, ended);
  return { manager, running, told, abort, ended };
}

it('runs all controllers at once', async () => {
  const { manager, running, told } = start();
  await expect.poll(() => running).toEqual(['quota', 'accounts', 'jobs', 'nodes']);
  expect(told).toEqual([['quota', 'accounts', 'jobs', 'nodes']]);
  expect(manager.activity.isIdle).toBe(true);
});

it('runs what makes a cluster ready first where the others have to wait, and is not idle as long as they do', async () => {
  let go = (): void => {};
  const { manager, running, told } = start(new Promise<void>((resolve) => (go = resolve)));
  await expect.poll(() => running).toEqual(['accounts', 'nodes']);
  expect(manager.activity.isIdle).toBe(false);
  go();
  await expect.poll(() => running).toEqual(['accounts', 'nodes', 'quota', 'jobs']);
  expect(told).toEqual([
    ['accounts', 'nodes'],
    ['quota', 'jobs'],
  ]);
  expect(manager.activity.isIdle).toBe(true);
});

it('ends while others wait: they are never made', async () => {
  const { running, abort, ended } = start(new Promise(() => {}));
  await expect.poll(() => running).toEqual(['accounts', 'nodes']);
  abort.abort();
  await ended;
  expect(running).toEqual(['accounts', 'nodes']);
});
