import { FakeClock } from '@coxswain/apimachinery/clock';
import { describe, expect, it } from 'vitest';
import type { Metrics } from '../observe/metrics.ts';
import { Indexer } from './indexer.ts';
import { type ModelObject, ModelServer, type RequestFault, type WatchFault } from './model-server.test-data.ts';
import { Reflector, type ReflectorOptions, type ReflectorStore } from './reflector.ts';

const minute = 60_000;

interface Setup {
  readonly clock: FakeClock;
  readonly server: ModelServer;
  readonly indexer: Indexer<ModelObject>;
  readonly reflector: Reflector<ModelObject>;
  readonly errors: string[];
  readonly metrics: Map<string, number>;
  /** Returns the requests since the last call, such as `stream ""`, `list "0" limit 500`, `watch "7"`. */
  requests(): string[];
  stop(): Promise<void>;
}

/**
 * Starts a reflector on a server with three objects, without jitter: delays are 0.8 s, 1.6 s, and so on, and watches
 * last five minutes.
 */
async function started(
  prepare: (server: ModelServer) => void = () => {},
  options: ReflectorOptions = {},
): Promise<Setup> {
  const clock = new FakeClock();
  const server = new ModelServer(clock);
  for (const name of ['a', 'b', 'c']) server.create(name);
  prepare(server);
  const indexer = new Indexer<ModelObject>();
  const errors: string[] = [];
  const metrics = new Map<string, number>();
  const reflector = new Reflector(server, indexer, {
    name: 'things',
    clock,
    random: () => 0,
    onError: (error, { during, retryInMs }) => errors.push(`${during}, ${retryInMs} ms: ${error.message}`),
    metrics: counting(metrics),
    ...options,
  });
  const abort = new AbortController();
  const running = reflector.run(abort.signal);
  await clock.advance(0);
  let seen = 0;
  return {
    clock,
    server,
    indexer,
    reflector,
    errors,
    metrics,
    requests() {
      const fresh = server.requests.slice(seen);
      seen = server.requests.length;
      return fresh.map(({ verb, options: { resourceVersion, limit, sendInitialEvents, continue: token } }) => {
        const what = sendInitialEvents ? 'stream' : verb;
        return `${what} ${token ? 'more' : `"${resourceVersion}"`}${limit ? ` limit ${limit}` : ''}`;
      });
    },
    async stop() {
      abort.abort();
      await running;
      expect(clock.pending).toBe(0);
      expect(server.openWatches).toBe(0);
      expect(reflector.state).toBe('Stopped');
    },
  };
}

const counting = (counts: Map<string, number>): Metrics => {
  const add =
    (name: string) =>
    (value: number, ...labels: readonly string[]): void => {
      const key = [name, ...labels.slice(1)].join(' ');
      counts.set(key, (counts.get(key) ?? 0) + value);
    };
  return {
    counter: ({ name }) => ({ add: add(name) }),
    gauge: ({ name }) => ({ set: (value) => void counts.set(name, value) }),
    histogram: ({ name }) => ({ observe: (_, ...labels) => add(name)(1, ...labels) }),
  };
};

const names = (indexer: Indexer<ModelObject>): string[] => indexer.listKeys().sort();

describe('Reflector', () => {
  it('streams the initial state and continues with the same watch', async () => {
    const { server, indexer, reflector, requests, metrics, clock, stop } = await started();
    expect(names(indexer)).toEqual(['a', 'b', 'c']);
    expect(reflector.lastSyncResourceVersion).toBe(server.version);
    server.create('d');
    server.delete('a');
    await clock.advance(0);
    expect(names(indexer)).toEqual(['b', 'c', 'd']);
    expect(reflector.lastSyncResourceVersion).toBe(server.version);
    expect(requests()).toEqual(['stream ""']);
    await stop();
    expect(Object.fromEntries(metrics)).toMatchObject({
      reflector_lists_total: 1,
      reflector_watches_total: 1,
      reflector_last_resource_version: Number(server.version),
    });
  });

  it('lists in pages when the server cannot stream, and does not request a stream again', async () => {
    const { server, indexer, requests, clock, stop, errors } = await started(
      (server) => {
        server.canStream = false;
      },
      { pageSize: 2 },
    );
    expect(names(indexer)).toEqual(['a', 'b', 'c']);
    expect(requests()).toEqual(['stream ""', 'list "0" limit 2', 'list more limit 2', 'watch "4"']);
    expect(errors).toEqual([]);
    server.cut('expired');
    await clock.advance(minute);
    expect(requests()).toEqual(['list "4" limit 2', 'list more limit 2', 'watch "4"']);
    await stop();
  });

  it('lists at once when the server accepts a stream and then reports that it cannot serve it', async () => {
    const { indexer, requests, errors, stop } = await started((server) => {
      const { watch } = server;
      server.watch = async function (options) {
        const opened = await watch.call(this, { ...options, sendInitialEvents: false });
        if (options?.sendInitialEvents) server.cut('internal error');
        return opened;
      };
    });
    expect(requests().slice(1)).toEqual(['list "0" limit 500', 'watch "4"']);
    expect(errors).toEqual(['list, 0 ms: Internal error occurred: out of order']);
    expect(names(indexer)).toEqual(['a', 'b', 'c']);
    await stop();
  });

  it('lists in pages of 500 first, and later everything at once when the server has a watch cache', async () => {
    const { server, requests, clock, stop } = await started(() => {}, { watchList: false });
    expect(requests()).toEqual(['list "0" limit 500', 'watch "4"']);
    server.cut('expired');
    await clock.advance(minute);
    expect(requests()).toEqual(['list "4"', 'watch "4"']);
    await stop();
  });

  it('lists everything at once when the continue token has expired', async () => {
    const { indexer, requests, stop } = await started(
      (server) => {
        const { list } = server;
        server.list = async function (options) {
          const page = await list.call(this, options);
          if (page.metadata?.continue) {
            server.create('d');
            server.compact();
          }
          return page;
        };
      },
      { watchList: false, pageSize: 2 },
    );
    expect(requests()).toEqual(['list "0" limit 2', 'list more limit 2', 'list "0"', 'watch "5"']);
    expect(names(indexer)).toEqual(['a', 'b', 'c', 'd']);
    await stop();
  });

  it.each<[string, WatchFault, string[], string[]]>([
    ['a normal end', 'closed', ['watch "4"'], []],
    ['a broken connection', 'broken', ['watch "4"'], ['watch, 800 ms: ECONNRESET']],
    [
      'an expired version',
      'expired',
      ['stream "4"'],
      ['watch, 800 ms: The resourceVersion for the provided watch is too old.'],
    ],
    ['an internal error', 'internal error', ['watch "4"'], ['watch, 800 ms: Internal error occurred: out of order']],
  ])('after %s of a watch continues without loss', async (_, how, expected, reported) => {
    const { server, indexer, requests, clock, errors, stop, metrics } = await started();
    await clock.advance(minute);
    requests();
    server.cut(how);
    server.create('d');
    await clock.advance(minute);
    expect(requests()).toEqual(expected);
    expect(errors).toEqual(reported);
    expect(metrics.get('reflector_errors_total watch') ?? 0).toBe(reported.length);
    expect(names(indexer)).toEqual(['a', 'b', 'c', 'd']);
    await stop();
  });

  it.each<[string, RequestFault, string[], string[]]>([
    ['refused', 'refused', ['stream ""'], ['list, 800 ms: connect ECONNREFUSED']],
    ['answered by 429', 'too many requests', ['stream ""'], ['list, 3000 ms: later']],
    [
      'answered by 500',
      'internal error',
      ['list "0" limit 500', 'watch "4"'],
      ['list, 0 ms: Internal error occurred: out of order'],
    ],
    [
      'answered by "Too large resource version"',
      'too large',
      ['stream ""'],
      ['list, 0 ms: Timeout: Too large resource version: 5, current: 3'],
    ],
    [
      'not answered',
      'silence',
      ['list "0" limit 500', 'watch "4"'],
      ['list, 800 ms: watch of things: no data received for 30 s; the connection was closed'],
    ],
  ])('gets its initial state even if the first request is %s', async (_, fault, expected, reported) => {
    const { indexer, requests, clock, errors, stop } = await started((server) => server.faults.push(fault));
    await clock.advance(minute);
    expect(requests()).toEqual(['stream ""', ...expected]);
    expect(errors).toEqual(reported);
    expect(names(indexer)).toEqual(['a', 'b', 'c']);
    await stop();
  });

  it.each<[string, RequestFault[], string[]]>([
    ['refused', ['refused', 'refused'], ['watch "4"', 'watch "4"', 'watch "4"']],
    ['answered by 429', ['too many requests'], ['watch "4"', 'watch "4"']],
    ['answered by 410', ['expired'], ['watch "4"', 'stream "4"']],
    ['answered by "Too large resource version"', ['too large'], ['watch "4"', 'stream ""']],
    ['answered by 410, and the list as well', ['expired', 'expired'], ['watch "4"', 'stream "4"', 'stream ""']],
  ])('when the next watch is %s sends no more requests than necessary', async (_, faults, expected) => {
    const { server, indexer, requests, clock, stop } = await started();
    await clock.advance(minute);
    requests();
    server.faults.push(...faults);
    server.cut('closed');
    server.create('d');
    await clock.advance(minute);
    expect(requests()).toEqual(expected);
    expect(names(indexer)).toEqual(['a', 'b', 'c', 'd']);
    await stop();
  });

  it('closes a watch that is silent well past its timeout', async () => {
    const { server, indexer, requests, clock, errors, stop } = await started();
    server.cut('silence');
    server.create('d');
    await clock.advance(5 * minute + 20_000);
    expect(requests()).toEqual(['stream ""']);
    await clock.advance(20_000);
    expect(requests()).toEqual(['watch "4"']);
    expect(errors).toEqual(['watch, 800 ms: watch of things: no data received for 330 s; the connection was closed']);
    expect(names(indexer)).toEqual(['a', 'b', 'c', 'd']);
    await stop();
  });

  it('aborts a list that is never answered', async () => {
    const { indexer, clock, errors, stop } = await started((server) => server.faults.push('silence'), {
      watchList: false,
    });
    await clock.advance(3 * minute);
    expect(errors).toEqual(['list, 800 ms: list of things: no data received for 120 s; the connection was closed']);
    expect(names(indexer)).toEqual(['a', 'b', 'c']);
    await stop();
  });

  it('backs off exponentially while watches end at once', async () => {
    const { server, requests, clock, errors, stop, metrics } = await started();
    const { watch } = server;
    server.watch = async function (options) {
      const opened = await watch.call(this, options);
      server.cut('closed');
      return opened;
    };
    await clock.advance(minute);
    requests();
    server.cut('closed');
    await clock.advance(10 * minute);
    // 0.8, 1.6, 3.2, 6.4, 12.8, 25.6 and then every 30 seconds.
    expect(requests()).toHaveLength(1 + 6 + 18);
    expect(errors[0]).toBe(
      'watch, 800 ms: very short watch: things: Unexpected watch close - watch lasted less than a second and no items received',
    );
    expect(errors.at(-1)).toMatch('watch, 30000 ms: very short watch');
    expect(metrics.get('reflector_short_watches_total')).toBe(25);
    await stop();
  });

  it('needs two hundred requests and one list over a day of watches that expire', async () => {
    const { server, indexer, requests, clock, errors, stop } = await started(
      (server) => {
        server.bookmarkEveryMs = 4 * minute;
      },
      { random: Math.random },
    );
    for (let hour = 0; hour < 24; hour++) {
      server.create(`at-${hour}`);
      await clock.advance(60 * minute);
      // The history before the last bookmark is compacted: a reflector that ignored bookmarks would have to list again.
      server.compact();
    }
    const [first, ...others] = requests();
    expect(first).toBe('stream ""');
    expect(others.every((request) => request.startsWith('watch'))).toBe(true);
    expect(others.length).toBeGreaterThan((24 * 60) / 10 - 2);
    expect(others.length).toBeLessThan((24 * 60) / 5);
    expect(errors).toEqual([]);
    expect(indexer.size).toBe(3 + 24);
    await stop();
  }, 60_000);

  it('reports objects that the store rejects, and continues', async () => {
    const { server, indexer, clock, errors, stop } = await started();
    indexer.addIndexers({
      picky: ({ data }) => {
        if (data === 13) throw new Error('unlucky');
        return [];
      },
    });
    server.create('bad', 13);
    server.create('good');
    await clock.advance(0);
    expect(names(indexer)).toEqual(['a', 'b', 'c', 'good']);
    expect(errors).toEqual(['store, undefined ms: unable to calculate an index entry for key "bad" on index "picky"']);
    await stop();
  });

  it('lists again after a delay when the store rejected a list', async () => {
    const clock = new FakeClock();
    const server = new ModelServer(clock);
    server.create('a');
    const indexer = new Indexer<ModelObject>();
    let failures = 2;
    const store: ReflectorStore<ModelObject> = {
      add: (object) => indexer.add(object),
      update: (object) => indexer.update(object),
      delete: (object) => indexer.delete(object),
      replace(objects) {
        if (failures-- > 0) throw new Error('not now');
        indexer.replace(objects);
      },
    };
    const errors: string[] = [];
    const abort = new AbortController();
    const reflector = new Reflector(server, store, { clock, onError: ({ message }) => errors.push(message) });
    const running = reflector.run(abort.signal);
    await clock.advance(minute);
    expect(errors).toEqual(['not now', 'not now']);
    expect(names(indexer)).toEqual(['a']);
    abort.abort();
    await running;
  });

  it('releases everything when it is stopped, in every state', async () => {
    for (const fault of ['refused', 'silence', 'internal error'] as const) {
      const { stop } = await started((server) => server.faults.push(fault, fault), { watchList: fault !== 'silence' });
      await stop();
    }
    const aborted = new Reflector(new ModelServer(new FakeClock()), new Indexer<ModelObject>());
    await aborted.run(AbortSignal.abort());
    await expect(aborted.run(AbortSignal.abort())).rejects.toThrow('a reflector runs once');
  });
});
