import { FakeClock } from '@coxswain/apimachinery/clock';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ResourceEventHandler } from './event-handler.ts';
import { type DeletedFinalStateUnknown, deletedObject } from './keys.ts';
import { type ModelObject, ModelServer, type RequestFault, type WatchFault } from './model-server.test-data.ts';
import { SharedIndexInformer } from './shared-index-informer.ts';

const minute = 60_000;

/** Checks that for every object there is an add, then updates, then a delete. Holds the objects as reported. */
class Witness implements ResourceEventHandler<ModelObject> {
  readonly objects = new Map<string, ModelObject>();
  readonly uids = new Set<string>();
  events = 0;
  /** While set, the handler is blocked. */
  stuck: Promise<void> | undefined;

  async onAdd(object: ModelObject): Promise<void> {
    const { name, uid } = object.metadata as { name: string; uid: string };
    expect(this.objects.has(name), `add of ${name}, which was there`).toBe(false);
    expect(this.uids.has(uid), `add of ${uid}, which was gone`).toBe(false);
    this.uids.add(uid);
    this.objects.set(name, object);
    await this.#counted();
  }

  async onUpdate(old: ModelObject, object: ModelObject): Promise<void> {
    const { name, uid, resourceVersion } = object.metadata as { name: string; uid: string; resourceVersion: string };
    expect(this.objects.get(name)?.metadata, `update of ${name} from another state than the last`).toEqual(
      old.metadata,
    );
    expect(uid).toBe(old.metadata?.uid);
    expect(Number(resourceVersion)).toBeGreaterThan(Number(old.metadata?.resourceVersion));
    this.objects.set(name, object);
    await this.#counted();
  }

  async onDelete(deleted: ModelObject | DeletedFinalStateUnknown<ModelObject>): Promise<void> {
    const { metadata } = deletedObject(deleted);
    const known = this.objects.get(metadata?.name ?? '');
    expect(known?.metadata?.uid, `delete of ${metadata?.uid}, which was not there`).toBe(metadata?.uid);
    this.objects.delete(metadata?.name ?? '');
    await this.#counted();
  }

  async #counted(): Promise<void> {
    this.events++;
    await this.stuck;
  }
}

type Command =
  | { do: 'create' | 'update' | 'delete'; name: string }
  | { do: 'compact' | 'stick' | 'unstick' }
  | { do: 'cut'; how: WatchFault }
  | { do: 'fail'; how: RequestFault }
  | { do: 'wait'; ms: number };

const name = fc.constantFrom('a', 'b', 'c', 'd');
const write = fc.record({ do: fc.constantFrom('create' as const, 'update' as const, 'delete' as const), name });
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 8, arbitrary: write },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom('compact' as const, 'stick' as const, 'unstick' as const) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('cut' as const),
      how: fc.constantFrom<WatchFault[]>('closed', 'broken', 'expired', 'internal error', 'silence'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('fail' as const),
      how: fc.constantFrom<RequestFault[]>(
        'refused',
        'internal error',
        'too many requests',
        'expired',
        'too large',
        'silence',
      ),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(0, 500, 3000, 400_000) }) },
);

describe('an informer under random changes and faults', () => {
  it('delivers the events of each object in order to each handler, and ends with the state of the server', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(command, { minLength: 5, maxLength: 30 }),
        fc.record({ canStream: fc.boolean(), staleness: fc.nat(3), bookmarks: fc.boolean(), pageSize: fc.nat(2) }),
        async (commands, { canStream, staleness, bookmarks, pageSize }) => {
          const clock = new FakeClock();
          const server = new ModelServer(clock);
          server.canStream = canStream;
          server.staleness = staleness;
          if (bookmarks) server.bookmarkEveryMs = minute;
          for (const start of ['a', 'b', 'c']) for (let i = 0; i < 2; i++) server.create(start);
          const errors: string[] = [];
          const informer = new SharedIndexInformer<ModelObject>(server, {
            clock,
            pageSize,
            freeze: true,
            onError: (error, { during }) => errors.push(`${during}: ${error}`),
          });
          const prompt = new Witness();
          const slow = new Witness();
          informer.addEventHandler(prompt);
          informer.addEventHandler(slow, { coalesceAbove: 2 });
          const stop = new AbortController();
          const running = informer.run(stop.signal);
          let release = (): void => {};
          let trouble = 0;
          for (const step of commands) {
            if (step.do === 'create' || step.do === 'update' || step.do === 'delete') server[step.do](step.name);
            else if (step.do === 'compact') server.compact();
            else if (step.do === 'wait') await clock.advance(step.ms);
            else if (step.do === 'unstick') release();
            else if (step.do === 'stick') {
              release();
              slow.stuck = new Promise((resolve) => {
                release = resolve;
              });
            } else {
              trouble++;
              if (step.do === 'cut') server.cut(step.how);
              else if (step.do === 'fail') server.faults.push(step.how);
            }
          }
          const late = new Witness();
          informer.addEventHandler(late);
          release();
          slow.stuck = undefined;
          await clock.advance(40 * minute);

          const expected = server.objects;
          expect(errors.filter((error) => /^(handler|store)/.test(error))).toEqual([]);
          expect(informer.hasSynced()).toBe(true);
          expect(plain(informer.indexer.list())).toEqual(plain(expected.values()));
          for (const witness of [prompt, slow, late])
            expect(plain(witness.objects.values())).toEqual(plain(expected.values()));
          // Each fault costs a new list of a few pages and a watch; watches are renewed every five minutes.
          const watchExpiries = (clock.monotonic() / minute + 1) / 5;
          expect(server.requests.length).toBeLessThanOrEqual(10 + trouble * 10 + watchExpiries);
          expect(mostWithin(server, 700)).toBeLessThanOrEqual(10);

          stop.abort();
          await running;
          await clock.advance(0);
          expect(server.openWatches).toBe(0);
          expect(clock.pending).toBe(0);
        },
      ),
      { numRuns: 150 },
    );
  }, 120_000);
});

const plain = (objects: Iterable<ModelObject>): unknown[] =>
  [...objects]
    .map(({ metadata, data }) => ({ ...metadata, data }))
    .sort((a, b) => (`${a.name}` < `${b.name}` ? -1 : 1));

/** The highest number of requests within `windowMs`. */
function mostWithin({ requests }: ModelServer, windowMs: number): number {
  return Math.max(
    ...requests.map(({ at }) => requests.filter((other) => other.at >= at && other.at < at + windowMs).length),
  );
}
