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

/** Starts controllers that only record their names when they run. */
function start() {
  const transport = new FakeTransport();
  const running: string[] = [];
  const told: string[][] = [];
  const definition = (name: string): ControllerDefinition => ({
    name,
    aliases: [],
    create: () => ({
      run: async (signal) => {
        running.push(name);
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
    }),
  });
  const manager = new ControllerManager({
    rest: new RESTClient(transport),
    controllers: [definition('quota'), definition('accounts')],
    onRunning: (names) => told.push([...names]),
  });
  const abort = new AbortController();
  const ended = manager.run(abort.signal);
  stop.set(abort, ended);
  return { manager, running, told };
}

it('runs all controllers at once', async () => {
  const { manager, running, told } = start();
  await expect.poll(() => running).toEqual(['quota', 'accounts']);
  expect(told).toEqual([['quota', 'accounts']]);
  expect(manager.activity.isIdle).toBe(true);
});
