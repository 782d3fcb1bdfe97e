import type { ConfigMap } from '@coxswain/api/core/v1';
import { FakeClock } from '@coxswain/apimachinery/clock';
import { isForbidden, newForbidden, newResourceExpired } from '@coxswain/apimachinery/errors';
import { GroupResource } from '@coxswain/apimachinery/meta';
import { type RunningApiServer, startApiServer } from '@coxswain/apiserver';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ResourceClient } from '../rest/resource-client.ts';
import { RESTClient } from '../rest/rest-client.ts';
import { retryOnConflict } from '../retry/retry-on-conflict.ts';
import { InProcessTransport } from '../transport/index.ts';
import { TransportError } from '../transport/transport.ts';
import { untilWithSync } from './until-with-sync.ts';
import { WaitTimeoutError } from './wait-timeout-error.ts';

let server: RunningApiServer;
let configMaps: ResourceClient<ConfigMap>;
beforeAll(async () => {
  server = await startApiServer({ memory: true });
  const transport = new InProcessTransport(server.transport({ username: 'me', groups: ['system:masters'] }));
  const resource = { group: '', version: 'v1', resource: 'configmaps', kind: 'ConfigMap', namespaced: true };
  configMaps = new ResourceClient(new RESTClient(transport), resource, 'default');
});
afterAll(() => server.stop());
beforeEach(async () => {
  await configMaps.deleteCollection();
});

const isReady = (object: ConfigMap | undefined): boolean => object?.data?.ready === 'yes';
const write = (ready: string) => configMaps.patch('a', 'merge', { data: { ready } });

describe('untilWithSync', () => {
  it('resolves at once when the condition is met', async () => {
    await configMaps.create({ metadata: { name: 'a' }, data: { ready: 'yes' } });
    expect((await untilWithSync(configMaps, 'a', isReady))?.data).toEqual({ ready: 'yes' });
    expect(await untilWithSync(configMaps, 'other', (object) => object === undefined)).toBeUndefined();
  });

  it('waits until an object exists, is ready and is deleted, and ignores other objects', async () => {
    const seen: unknown[] = [];
    const looked = (): Promise<void> => new Promise((resolve) => onLook.push(resolve));
    const onLook: (() => void)[] = [];
    const first = looked();
    const ready = untilWithSync(configMaps, 'a', (object) => {
      seen.push(object?.data?.ready);
      for (const resolve of onLook.splice(0)) resolve();
      return isReady(object);
    });
    await first;
    await configMaps.create({ metadata: { name: 'b' }, data: { ready: 'yes' } });
    await configMaps.create({ metadata: { name: 'a' } });
    await write('no');
    await write('yes');
    expect((await ready)?.data).toEqual({ ready: 'yes' });
    expect(seen).toEqual([undefined, undefined, 'no', 'yes']);
    const gone = untilWithSync(configMaps, 'a', (object) => object === undefined);
    await configMaps.delete('a');
    expect(await gone).toBeUndefined();
  });

  it('rejects with errors of the condition, and with the signal’s reason', async () => {
    const broken = new Error('broken');
    const failing = untilWithSync(configMaps, 'a', () => {
      throw broken;
    });
    await expect(failing).rejects.toBe(broken);
    const stop = new AbortController();
    const stopped = untilWithSync(
      configMaps,
      'a',
      (object) => {
        stop.abort('stop');
        return object !== undefined;
      },
      { signal: stop.signal },
    );
    await expect(stopped).rejects.toBe('stop');
  });

  it('rejects after its timeout', async () => {
    const clock = new FakeClock();
    const failed = expect(untilWithSync(configMaps, 'a', isReady, { clock, timeoutMs: 1000 })).rejects.toBeInstanceOf(
      WaitTimeoutError,
    );
    await clock.advance(1000);
    await failed;
    expect(clock.pending).toBe(0);
  });

  it('aborts a stalled watch, and resumes from its resourceVersion', async () => {
    const clock = new FakeClock(0);
    const from: unknown[] = [];
    const client: Pick<ResourceClient<ConfigMap>, 'list' | 'watch'> = {
      list: (options) => configMaps.list(options),
      // The object does not change, and the server's clock is not the fake one.
      watch: (options) => {
        from.push([clock.now(), options?.resourceVersion]);
        return configMaps.watch(options);
      },
    };
    const { metadata } = await configMaps.list();
    const stop = new AbortController();
    const stopped = expect(
      untilWithSync(client, 'a', isReady, { clock, signal: stop.signal, random: () => 0 }),
    ).rejects.toBe('stop');
    while (from.length < 1) await clock.advance(0);
    await clock.advance(330_200);
    while (from.length < 2) await clock.advance(0);
    const { resourceVersion } = metadata ?? {};
    expect(from).toEqual([
      [0, resourceVersion],
      [330_200, resourceVersion],
    ]);
    stop.abort('stop');
    await stopped;
    expect(clock.pending).toBe(0);
  });

  it('retries failures with backoff', async () => {
    const clock = new FakeClock(0);
    const resource = GroupResource.of('', 'configmaps');
    const failures: Error[] = [
      new TransportError('connection reset'),
      newResourceExpired('too old resource version'),
      new TransportError('connection reset'),
    ];
    const at: string[] = [];
    const client: Pick<ResourceClient<ConfigMap>, 'list' | 'watch'> = {
      list: async (options) => {
        at.push(`list ${clock.now()}`);
        const failure = failures.length === 3 ? failures.shift() : undefined;
        if (failure) throw failure;
        return configMaps.list(options);
      },
      watch: async (options) => {
        at.push(`watch ${clock.now()}`);
        const failure = failures.shift();
        if (failure) throw failure;
        return configMaps.watch(options);
      },
    };
    await configMaps.create({ metadata: { name: 'a' } });
    const ready = untilWithSync(client, 'a', isReady, { clock, random: () => 0 });
    await clock.advance(2000);
    expect(at).toEqual(['list 0', 'list 200', 'watch 200', 'list 600', 'watch 600', 'list 1400', 'watch 1400']);
    await write('yes');
    await ready;
    const forbidden = newForbidden(resource, 'a', new Error('no'));
    await expect(untilWithSync({ ...client, list: () => Promise.reject(forbidden) }, 'a', isReady)).rejects.toSatisfy(
      isForbidden,
    );
  });
});

describe('retryOnConflict', () => {
  it('loses no concurrent change', async () => {
    await configMaps.create({ metadata: { name: 'a' }, data: { count: '0' } });
    const increment = () =>
      retryOnConflict(
        async () => {
          const current = await configMaps.get('a');
          return configMaps.update({ ...current, data: { count: String(Number(current.data?.count) + 1) } });
        },
        { backoff: { durationMs: 1, jitter: 1, steps: 100 } },
      );
    await Promise.all(Array.from({ length: 8 }, increment));
    expect((await configMaps.get('a')).data).toEqual({ count: '8' });
  });
});
