import { FakeClock } from '@coxswain/apimachinery/clock';
import { recordLogs, silentLogger } from '@coxswain/apimachinery/log';
import { describe, expect, it } from 'vitest';
import { FilteringResourceEventHandler, type ResourceEventHandler } from './event-handler.ts';
import { DeletedFinalStateUnknown, deletionHandlingKey } from './keys.ts';
import { type ModelObject, ModelServer } from './model-server.test-data.ts';
import { SharedIndexInformer, type SharedIndexInformerOptions } from './shared-index-informer.ts';
import { stripManagedFields } from './transform.ts';
import { waitForCacheSync } from './wait-for-cache-sync.ts';

const minute = 60_000;

interface Setup {
  readonly clock: FakeClock;
  readonly server: ModelServer;
  readonly informer: SharedIndexInformer<ModelObject>;
  readonly errors: string[];
  /** Starts the informer and waits until it is idle. */
  run(): Promise<void>;
  stop(): Promise<void>;
}

function informerOf(names: readonly string[], options: SharedIndexInformerOptions<ModelObject> = {}): Setup {
  const clock = new FakeClock();
  const server = new ModelServer(clock);
  for (const name of names) server.create(name);
  const errors: string[] = [];
  const informer = new SharedIndexInformer<ModelObject>(server, {
    name: 'things',
    clock,
    random: () => 0,
    onError: (error, { during }) => errors.push(`${during}: ${error.message}`),
    ...options,
  });
  const abort = new AbortController();
  let running: Promise<void> | undefined;
  return {
    clock,
    server,
    informer,
    errors,
    async run() {
      running = informer.run(abort.signal);
      await clock.advance(0);
    },
    async stop() {
      abort.abort();
      await running;
      expect(clock.pending).toBe(0);
    },
  };
}

/** A handler that records its calls. */
function recorder(): ResourceEventHandler<ModelObject> & { readonly seen: string[] } {
  const seen: string[] = [];
  return {
    seen,
    onAdd: ({ metadata }, isInInitialList) =>
      void seen.push(`add ${metadata?.name}${isInInitialList ? ' at first' : ''}`),
    onUpdate: (old, { metadata, data }) => void seen.push(`update ${metadata?.name} ${old.data}-${data}`),
    onDelete: (deleted) =>
      void seen.push(
        `delete ${deletionHandlingKey(deleted)}${deleted instanceof DeletedFinalStateUnknown ? ' unseen' : ''}`,
      ),
  };
}

/** A handler that blocks until `release` is called. */
function stuck(): { readonly handler: ResourceEventHandler<ModelObject>; readonly seen: string[]; release(): void } {
  let release!: () => void;
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { seen, ...inner } = recorder();
  const handler: ResourceEventHandler<ModelObject> = {
    async onAdd(object, isInInitialList) {
      await gate;
      inner.onAdd?.(object, isInInitialList);
    },
    onUpdate: inner.onUpdate!,
    onDelete: inner.onDelete!,
  };
  return { handler, seen, release };
}

describe('SharedIndexInformer', () => {
  it('delivers adds, updates and deletes in order', async () => {
    const { server, informer, clock, run, stop } = informerOf(['a']);
    const handler = recorder();
    informer.addEventHandler(handler);
    await run();
    server.create('b');
    server.update('a');
    server.delete('b');
    await clock.advance(0);
    expect(handler.seen).toEqual(['add a at first', 'add b', 'update a 0-1', 'delete b']);
    await stop();
  });

  it('detects missed deletes and recreated objects when it lists again', async () => {
    const { server, informer, clock, run, stop } = informerOf(['a', 'b', 'c', 'd']);
    const handler = recorder();
    informer.addEventHandler(handler);
    await run();
    handler.seen.length = 0;
    server.cut('broken');
    server.delete('a');
    server.delete('b');
    server.create('b');
    server.update('c');
    server.compact();
    await clock.advance(minute);
    expect(handler.seen).toEqual(['delete a unseen', 'update c 0-1', 'delete b unseen', 'add b']);
    expect(informer.indexer.listKeys().sort()).toEqual(['b', 'c', 'd']);
    await stop();
  });

  it('delivers all existing objects to a handler that is added later', async () => {
    const { server, informer, clock, run, stop } = informerOf(['a', 'b']);
    await run();
    server.create('c');
    await clock.advance(0);
    const handler = recorder();
    const registration = informer.addEventHandler(handler);
    expect(registration.hasSynced()).toBe(false);
    await registration.whenSynced();
    expect(handler.seen).toEqual(['add a at first', 'add b at first', 'add c at first']);
    server.update('c');
    await clock.advance(0);
    expect(handler.seen.slice(3)).toEqual(['update c 0-1']);
    await stop();
    expect(() => informer.addEventHandler(handler)).toThrow('stopped already');
  });

  it('delivers to each handler at its own pace, and reports when each has seen the initial state', async () => {
    const { server, informer, clock, run, stop } = informerOf(['a', 'b']);
    const [slow, prompt] = [stuck(), recorder()];
    const slowly = informer.addEventHandler(slow.handler);
    const promptly = informer.addEventHandler(prompt);
    await run();
    server.update('a');
    await clock.advance(0);
    expect(prompt.seen).toEqual(['add a at first', 'add b at first', 'update a 0-1']);
    expect([informer.hasSynced(), promptly.hasSynced(), slowly.hasSynced()]).toEqual([true, true, false]);
    slow.release();
    await waitForCacheSync(undefined, informer, promptly, slowly);
    await clock.advance(0);
    expect(slow.seen).toEqual(prompt.seen);
    await stop();
  });

  it('counts a handler as synced only when its last call has completed', async () => {
    const { informer, run, stop } = informerOf(['a']);
    const slow = stuck();
    const registration = informer.addEventHandler(slow.handler);
    await run();
    expect(registration.hasSynced()).toBe(false);
    slow.release();
    await registration.whenSynced();
    expect(slow.seen).toEqual(['add a at first']);
    const empty = informer.addEventHandler({});
    await empty.whenSynced();
    await stop();
  });

  it('keeps only the net change for a blocked handler', async () => {
    const { server, informer, clock, run, stop } = informerOf(['a']);
    const slow = stuck();
    informer.addEventHandler(slow.handler, { coalesceAbove: 3 });
    await run();
    for (let i = 0; i < 500; i++) {
      server.update('a');
      server.create(`passing-${i}`);
      server.delete(`passing-${i}`);
      if (i % 100 === 0) await clock.advance(0);
    }
    server.create('b');
    await clock.advance(0);
    slow.release();
    await clock.advance(0);
    expect(slow.seen.length).toBeLessThan(10);
    expect(slow.seen[0]).toBe('add a at first');
    expect(slow.seen).toContain('add b');
    expect(slow.seen.findLast((event) => event.startsWith('update a'))).toMatch(/-500$/);
    await stop();
  });

  it('reports a handler that throws or rejects, and continues with it and the others', async () => {
    const { server, informer, clock, errors, run, stop } = informerOf(['a']);
    const seen: string[] = [];
    informer.addEventHandler({
      onAdd() {
        throw new Error('thrown');
      },
      async onUpdate() {
        throw new Error('rejected');
      },
      onDelete: () => void seen.push('delete'),
    });
    const other = recorder();
    informer.addEventHandler(other);
    await run();
    server.update('a');
    server.delete('a');
    await clock.advance(0);
    expect(errors).toEqual(['handler: thrown', 'handler: rejected']);
    expect(seen).toEqual(['delete']);
    expect(other.seen).toHaveLength(3);
    await stop();
  });

  it('delivers nothing to a removed handler', async () => {
    const { server, informer, clock, run, stop } = informerOf(['a', 'b']);
    const [handler, slow] = [recorder(), stuck()];
    const registration = informer.addEventHandler(handler, { resyncPeriodMs: 1000 });
    const slowly = informer.addEventHandler(slow.handler);
    await run();
    await informer.removeEventHandler(registration);
    await informer.removeEventHandler(registration);
    const removed = informer.removeEventHandler(slowly);
    slow.release();
    await removed;
    server.update('a');
    await clock.advance(minute);
    expect(handler.seen).toEqual(['add a at first', 'add b at first']);
    expect(slow.seen).toEqual(['add a at first']);
    await expect(slowly.whenSynced()).rejects.toThrow('before the handler had synced');
    await stop();
  });

  it('resyncs each handler at its own period', async () => {
    const { informer, clock, run, stop } = informerOf(['a'], { resyncPeriodMs: 10 * minute });
    const [often, seldom, never] = [recorder(), recorder(), recorder()];
    informer.addEventHandler(often, { resyncPeriodMs: minute });
    informer.addEventHandler(seldom);
    informer.addEventHandler(never, { resyncPeriodMs: 0 });
    await run();
    await clock.advance(20 * minute);
    expect(often.seen).toEqual(['add a at first', ...Array(20).fill('update a 0-0')]);
    expect(seldom.seen).toEqual(['add a at first', ...Array(2).fill('update a 0-0')]);
    expect(never.seen).toEqual(['add a at first']);
    await stop();
  });

  it('transforms objects, and omits those whose transform fails', async () => {
    const { server, informer, clock, errors, run, stop } = informerOf(['a']);
    informer.setTransform((object) => {
      if (object.metadata?.name === 'bad') throw new Error('cannot');
      return { ...stripManagedFields(object), data: (object.data ?? 0) * 10 };
    });
    await run();
    expect(() => informer.setTransform((object) => object)).toThrow('informer has already started');
    server.update('a');
    server.create('bad');
    server.delete('bad');
    await clock.advance(0);
    expect(informer.indexer.list().map(({ data }) => data)).toEqual([10]);
    expect(errors).toEqual(['store: cannot', 'store: cannot']);
    await stop();
  });

  it('stores the rest of a list when one object cannot be stored', async () => {
    const picky = ({ metadata }: ModelObject): string[] => {
      if (metadata?.name === 'bad') throw new Error('no');
      return [];
    };
    const { informer, errors, run, stop } = informerOf(['a', 'bad', 'c'], { indexers: { picky } });
    await run();
    expect(informer.hasSynced()).toBe(true);
    expect(informer.indexer.listKeys()).toEqual(['a', 'c']);
    expect(errors).toEqual(['store: unable to calculate an index entry for key "bad" on index "picky"']);
    await stop();
  });

  it('freezes objects with `freeze`', async () => {
    const { informer, run, stop } = informerOf(['a'], { freeze: true });
    await run();
    const object = informer.indexer.getByKey('a')!;
    expect(() => {
      object.metadata!.name = 'other';
    }).toThrow(TypeError);
    await stop();
  });

  it('rejects whenSynced when the informer stops before it has synced', async () => {
    const { server, informer, run, stop } = informerOf([]);
    server.faults.push('silence');
    const registration = informer.addEventHandler({});
    const given = new AbortController();
    const waiting = [informer.whenSynced(), registration.whenSynced(), informer.whenSynced(given.signal)];
    const outcomes = Promise.allSettled(waiting);
    await run();
    given.abort(new Error('enough'));
    await stop();
    expect((await outcomes).map((outcome) => (outcome.status === 'rejected' ? outcome.reason.message : ''))).toEqual([
      'informer things was stopped before it had synced',
      'the handler was removed, or the informer stopped, before the handler had synced',
      'enough',
    ]);
    await expect(informer.run(AbortSignal.abort())).rejects.toThrow('it runs once');
  });

  it('logs errors when there is no onError', async () => {
    const { logger, lines } = recordLogs({ verbosity: 4 });
    const { server, clock, run, stop } = informerOf(['a'], { onError: undefined, logger });
    server.faults.push('refused');
    await run();
    await clock.advance(10_000);
    server.cut('expired');
    await clock.advance(10_000);
    expect(lines).toEqual([
      'error "Failed to list" err="connect ECONNREFUSED" reflector="things" retryInMs=800',
      'info "Watch closed" reflector="things" retryInMs=1600 err="The resourceVersion for the provided watch is too old."',
    ]);
    await stop();
  });

  it('continues when the error handler itself throws', async () => {
    const { server, informer, clock, run, stop } = informerOf(['a'], {
      logger: silentLogger,
      onError() {
        throw new Error('from the error handler');
      },
    });
    server.faults.push('refused');
    await run();
    await clock.advance(minute);
    expect(informer.hasSynced()).toBe(true);
    await stop();
  });
});

describe('FilteringResourceEventHandler', () => {
  it('turns updates into adds and deletes when an object starts or ceases to match', async () => {
    const { server, informer, clock, run, stop } = informerOf(['a']);
    const inner = recorder();
    informer.addEventHandler(new FilteringResourceEventHandler(({ data = 0 }) => data === 1 || data === 2, inner));
    await run();
    for (let i = 0; i < 3; i++) server.update('a');
    server.create('b', 2);
    server.delete('b');
    server.delete('a');
    await clock.advance(0);
    expect(inner.seen).toEqual(['add a', 'update a 1-2', 'delete a', 'add b', 'delete b']);
    await stop();
  });
});
