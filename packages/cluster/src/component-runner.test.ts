import { systemRandom } from '@coxswain/apimachinery/random';
import { systemEventLoop } from '@coxswain/apimachinery/turns';
import { ClientSet, RESTClient, silentLogger, systemClock } from '@coxswain/client';
import { FakeTransport } from '@coxswain/client/testing';
import { expect, it } from 'vitest';
import type { Component, ComponentContext, RunningComponent } from './component.ts';
import { ComponentRunner } from './component-runner.ts';
import { HollowNodeProvider } from './nodes/hollow-node-provider.ts';
import { untilStopped } from './until-stopped.ts';

const rest = new RESTClient(new FakeTransport());
const clients = new ClientSet(rest);

/** Returns a runner, a log of its events, and functions that let components start, fail and end. */
function runnerOf(components: readonly (Pick<Component, 'name' | 'after'> & Partial<Component>)[]) {
  const log: string[] = [];
  const runner = new ComponentRunner({
    components: components.map(({ name, ...rest }) => ({
      name,
      start({ signal }) {
        log.push(`${name} starts`);
        return { ended: untilStopped(signal).then(() => void log.push(`${name} ends`)) };
      },
      ...rest,
    })),
    contextOf: (_, signal): ComponentContext => ({
      signal,
      clock: systemClock,
      random: systemRandom,
      eventLoop: systemEventLoop,
      logger: silentLogger,
      freezeCaches: false,
      nodes: new HollowNodeProvider(0),
      get authority(): never {
        throw new Error('certificates are not signed in this test');
      },
      clientAs: () => rest,
      isRunning: (name) => runner.isRunning(name),
    }),
    onFailed: (name, error) => log.push(`${name} fails: ${error}`),
  });
  return { runner, log };
}

const deferred = <T>() => {
  let resolve!: (value: T) => void;
  let reject!: (error: Error) => void;
  const promise = new Promise<T>((...how) => {
    [resolve, reject] = how;
  });
  return { promise, resolve, reject };
};

const running: RunningComponent = { ended: new Promise(() => {}) };

it('starts a component after the ones in its after, and stops it before them', async () => {
  const server = deferred<void>();
  const { runner, log } = runnerOf([
    {
      name: 'server',
      start: async ({ signal }) => {
        await server.promise;
        log.push('server starts');
        return { ended: untilStopped(signal).then(() => void log.push('server ends')) };
      },
    },
    { name: 'network' },
    { name: 'dns', after: ['network', 'a missing component'] },
  ]);
  for (const name of runner.inOrder(['dns', 'network', 'server'])) runner.start(name);
  expect((await runner.status()).map(({ phase }) => phase)).toEqual(['starting', 'waiting', 'waiting']);
  expect(runner.isIdle).toBe(false);
  server.resolve();
  for (const name of runner.names) await runner.whenStarted(name);
  expect(log).toEqual(['server starts', 'network starts', 'dns starts']);
  expect(runner.isIdle).toBe(true);
  log.length = 0;
  await runner.stop('dns');
  runner.start('dns');
  await runner.stopAfter('server');
  expect(log).toEqual(['dns ends', 'dns starts', 'dns ends', 'network ends']);
  expect((await runner.status()).map(({ phase }) => phase)).toEqual(['running', 'stopped', 'stopped']);
});

it('starts a component synchronously when nothing has to be waited for, and no component twice', () => {
  const { runner, log } = runnerOf([{ name: 'server' }, { name: 'network' }]);
  for (const name of ['server', 'network', 'network']) runner.start(name);
  expect(log).toEqual(['server starts', 'network starts']);
});

it('does not start a component that is stopped while it waits', async () => {
  const { runner, log } = runnerOf([{ name: 'server', start: () => new Promise(() => {}) }, { name: 'network' }]);
  for (const name of runner.names) runner.start(name);
  await runner.stop('network');
  expect(runner.isRunning('network')).toBe(false);
  expect(log).toEqual([]);
});

it('reports a component that fails, at its start or later, starts the ones after it, and can start it again', async () => {
  const life = deferred<void>();
  let canStart = false;
  const { runner, log } = runnerOf([
    { name: 'server' },
    {
      name: 'network',
      start: () => {
        if (!canStart) throw new Error('no');
        return { ended: life.promise };
      },
    },
    { name: 'dns', after: ['network'] },
  ]);
  for (const name of runner.names) runner.start(name);
  await expect(runner.whenStarted('network')).rejects.toThrow('no');
  expect(log).toEqual(['server starts', 'network fails: Error: no', 'dns starts']);
  expect((await runner.status())[1]).toEqual({ name: 'network', phase: 'failed', problem: 'no' });
  expect([runner.isRunning('network'), runner.isIdle]).toEqual([false, true]);
  canStart = true;
  runner.start('network');
  const ready = runner.whenReady(clients, {});
  expect(runner.isRunning('network')).toBe(true);
  await ready;
  life.reject(new Error('out of memory'));
  await expect.poll(() => log.at(-1)).toBe('network fails: Error: out of memory');
  await runner.stop('network');
  expect((await runner.status())[1]).toEqual({ name: 'network', phase: 'stopped' });
});

it('is ready when all that were started are, and not when one of them fails before', async () => {
  const [ready, life] = [deferred<void>(), deferred<void>()];
  const asked = deferred<AbortSignal | undefined>();
  const { runner } = runnerOf([
    { name: 'server', start: () => ({ ...running, ready: () => ready.promise }) },
    {
      name: 'network',
      start: () => ({
        ended: life.promise,
        ready: (_, { signal }) => {
          asked.resolve(signal);
          return new Promise(() => {});
        },
      }),
    },
  ]);
  runner.start('server');
  const serverReady = runner.whenReady(clients, {});
  ready.resolve();
  await serverReady;
  runner.start('network');
  const allReady = runner.whenReady(clients, {});
  const signal = await asked.promise;
  life.reject(new Error('out of memory'));
  await expect(allReady).rejects.toThrow('out of memory');
  expect(signal?.aborted).toBe(true);
  await expect(runner.whenReady(clients, {})).rejects.toThrow('out of memory');
});

it('waits for a component that does not become ready until the signal is aborted', async () => {
  const { runner } = runnerOf([{ name: 'server', start: () => new Promise(() => {}) }]);
  runner.start('server');
  const abort = new AbortController();
  const ready = runner.whenReady(clients, { signal: abort.signal });
  abort.abort(new Error('enough'));
  await expect(ready).rejects.toThrow('enough');
});

it('is idle when all components with isIdle are, without those that have ended', async () => {
  let isIdle = false;
  const { runner } = runnerOf([
    {
      name: 'server',
      start: () => ({
        ...running,
        get isIdle() {
          return isIdle;
        },
      }),
    },
    { name: 'add-on', start: () => ({ ended: Promise.resolve(), isIdle: false }) },
  ]);
  runner.start('add-on');
  expect(runner.isIdle).toBe(false);
  await expect.poll(() => runner.isIdle).toBe(true);
  runner.start('server');
  expect(runner.isIdle).toBe(false);
  isIdle = true;
  expect(runner.isIdle).toBe(true);
});

it('reports the failed check of a component in its status', async () => {
  const check = (): void => {
    throw new Error('the leader is lost');
  };
  const { runner } = runnerOf([{ name: 'server', start: () => ({ ...running, check }) }]);
  runner.start('server');
  expect(await runner.status()).toEqual([{ name: 'server', phase: 'running', problem: 'the leader is lost' }]);
});

it.each([
  ['two components of one name', [{ name: 'a' }, { name: 'a' }], 'two components are called a'],
  [
    'a component listed before one in its after',
    [{ name: 'server' }, { name: 'a', after: ['b'] }, { name: 'b' }],
    'the component a is listed before b, which it must start after',
  ],
])('refuses %s', (_, components, problem) => {
  expect(() => runnerOf(components)).toThrow(problem);
});
