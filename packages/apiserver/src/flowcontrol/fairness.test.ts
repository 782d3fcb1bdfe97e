import type { UserInfo } from '@coxswain/api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RequestInfo } from '../http/request-context.ts';
import type { FakeClock } from '@coxswain/apimachinery/clock';
import type { FlowController } from './flow-controller.ts';
import type { FlowRequest } from './flow-request.ts';
import {
  everything,
  infoOf,
  limited,
  newController,
  newLevel,
  noQuery,
  oneLevel,
  userOf,
} from './requests.test-data.ts';

/** A client with a number of `parallel` requests, each of which executes for `serviceMs`. */
interface Client {
  readonly user: UserInfo;
  readonly parallel: number;
  readonly serviceMs: number;
  readonly info?: Partial<RequestInfo>;
}

interface Served {
  done: number;
  refused: number;
  seatMs: number;
  longestWaitMs: number;
}

/** Simulates the clients for that time. Returns what each was served. */
function simulate(clock: FakeClock, controller: FlowController, clients: readonly Client[], ms: number): Served[] {
  const end = clock.now() + ms;
  const served = clients.map((): Served => ({ done: 0, refused: 0, seatMs: 0, longestWaitMs: 0 }));
  const ask = (index: number): void => {
    if (clock.now() >= end) return;
    const { user, serviceMs, info } = clients[index]!;
    const result = served[index]!;
    const request = controller.start(user, infoOf(info), noQuery);
    const execute = (): void => {
      result.longestWaitMs = Math.max(result.longestWaitMs, request.startedMs - request.arrivedMs);
      clock.setTimeout(() => {
        controller.finish(request);
        result.done++;
        result.seatMs += serviceMs * request.maxSeats;
        ask(index);
      }, serviceMs);
    };
    const refuse = (): void => {
      result.refused++;
      clock.setTimeout(() => ask(index), 1000);
    };
    if (request.phase === 'executing') execute();
    else if (request.phase === 'rejected') refuse();
    else controller.onDecision(request, (mayExecute) => (mayExecute ? execute() : refuse()));
  };
  for (const [index, { parallel }] of clients.entries()) for (let i = 0; i < parallel; i++) ask(index);
  clock.turn(end + 60_000 - clock.now());
  return served;
}

const noisy = userOf('noisy');
const quiet = userOf('quiet');

describe('fairness', () => {
  it('gives a quiet user its share despite another one with many more requests', () => {
    const { clock, controller } = oneLevel();
    const [loud, calm] = simulate(
      clock,
      controller,
      [
        { user: noisy, parallel: 150, serviceMs: 10 },
        { user: quiet, parallel: 2, serviceMs: 10 },
      ],
      10_000,
    );
    // All seats are always in use. The quiet user could use two of the ten at most.
    expect(loud!.done + calm!.done).toBeGreaterThan(9_900);
    expect(calm!.done).toBeGreaterThan(1_200);
    expect(calm!.longestWaitMs).toBeLessThanOrEqual(20);
    expect(calm!.refused).toBe(0);
    expect(loud!.longestWaitMs).toBeGreaterThan(100);
  });

  it('divides seats, not requests: lists that need many seats do not crowd out small requests', () => {
    const { clock, controller } = oneLevel({ objectStats: () => ({ entries: 1000, bytes: 10_000_000 }) });
    const [elephant, mouse] = simulate(
      clock,
      controller,
      [
        { user: noisy, parallel: 100, serviceMs: 50, info: { verb: 'list' } },
        { user: quiet, parallel: 4, serviceMs: 5 },
      ],
      10_000,
    );
    expect(elephant!.done).toBeGreaterThan(100);
    // A list takes two of the ten seats here. Without contention, each of the mouse's four clients does 200 requests per second.
    expect(mouse!.done).toBeGreaterThan(2_000);
    expect(mouse!.longestWaitMs).toBeLessThanOrEqual(60);
  });

  it('serves users with the same demand equally', () => {
    const { clock, controller } = oneLevel();
    const users = Array.from({ length: 5 }, (_, index) => userOf(`user-${index}`));
    const served = simulate(
      clock,
      controller,
      users.map((user) => ({ user, parallel: 20, serviceMs: 7 })),
      10_000,
    );
    const shares = served.map(({ done }) => done);
    expect(Math.max(...shares) / Math.min(...shares)).toBeLessThan(1.5);
  });

  it('never queues exempt requests', () => {
    const { clock, controller } = oneLevel();
    const [, exempt, probe] = simulate(
      clock,
      controller,
      [
        { user: noisy, parallel: 400, serviceMs: 1_000 },
        { user: userOf('admin', 'system:masters'), parallel: 50, serviceMs: 10 },
        { user: quiet, parallel: 1, serviceMs: 1, info: { isResourceRequest: false, path: '/healthz' } },
      ],
      1_000,
    );
    expect(exempt).toMatchObject({ done: 5_000, refused: 0, longestWaitMs: 0 });
    expect(probe).toMatchObject({ done: 1_000, refused: 0, longestWaitMs: 0 });
  });

  it('rejects requests when their queues are full', () => {
    const { controller } = oneLevel();
    const phases = Array.from({ length: 300 }, () => controller.start(noisy, infoOf(), noQuery).phase);
    const count = (wanted: string): number => phases.filter((phase) => phase === wanted).length;
    // Ten seats, and a hand of four queues with fifty places each.
    expect([count('executing'), count('waiting'), count('rejected')]).toEqual([10, 200, 90]);
  });
});

describe('borrowing', () => {
  const limitOf = (controller: FlowController, level: string): number =>
    controller.levels.find(({ name }) => name === level)!.queueSet.limit;

  it('lends idle seats to levels with demand, and returns them when their own level needs them', () => {
    const { clock, controller } = newController();
    const serviceAccount = userOf('system:serviceaccount:a:b', 'system:serviceaccounts');
    const kubelet = userOf('system:node:n1', 'system:nodes');
    const nominal = (level: string): number => controller.levels.find(({ name }) => name === level)!.limits.nominal;
    const busy: Client = { user: serviceAccount, parallel: 500, serviceMs: 5_000 };
    const tick = (): void => {
      clock.setTimeout(tick, 10_000);
      controller.adjustSeats();
    };
    clock.setTimeout(tick, 10_000);
    // The simulated time is limited, because `tick` reschedules itself forever.
    const turn = (clients: readonly Client[]): Served[] => simulate(clock, controller, clients, 60_000);
    turn([busy]);
    clock.turn(10_000);
    expect(limitOf(controller, 'workload-low')).toBeLessThanOrEqual(600);
    const lent = limitOf(controller, 'system');
    expect(lent).toBeLessThan(nominal('system'));
    expect(limitOf(controller, 'workload-low')).toBeGreaterThan(nominal('workload-low'));
    turn([busy, { user: kubelet, parallel: 300, serviceMs: 5_000, info: { resource: 'configmaps' } }]);
    expect(limitOf(controller, 'system')).toBeGreaterThanOrEqual(nominal('system'));
  });
});

describe('a queued request', () => {
  function crowded() {
    const made = oneLevel();
    const executing = Array.from({ length: 10 }, () => made.controller.start(noisy, infoOf(), noQuery));
    const decisions: string[] = [];
    const wait = (name: string, user = noisy): FlowRequest => {
      const request = made.controller.start(user, infoOf(), noQuery);
      expect(request.phase).toBe('waiting');
      made.controller.onDecision(request, (execute) => decisions.push(`${name} ${execute}`));
      return request;
    };
    const level = () => made.controller.levels.find(({ name }) => name === 'one');
    return { ...made, executing, decisions, wait, level };
  }

  it('is removed at once when its client disconnects', () => {
    const { controller, decisions, wait, executing, level } = crowded();
    const gone = wait('gone');
    wait('stays');
    controller.cancel(gone, 'time-out');
    expect(decisions).toEqual(['gone false']);
    expect(level()?.queueSet.waiting).toBe(1);
    expect(level()?.queueSet.totals).toMatchObject({ rejected: 1, cancelled: 1 });
    controller.finish(executing[0]!);
    expect(decisions).toEqual(['gone false', 'stays true']);
    // Cancelling a rejected request does nothing.
    controller.cancel(gone, 'time-out');
    expect(level()?.queueSet.totals.cancelled).toBe(1);
  });

  it('is rejected when the server stops', () => {
    const { controller, decisions, wait, level } = crowded();
    for (let i = 0; i < 5; i++) wait(`user ${i}`, userOf(`user-${i}`));
    controller.cancelAll();
    expect(decisions).toHaveLength(5);
    expect(new Set(decisions.map((one) => one.split(' ')[2]))).toEqual(new Set(['false']));
    expect(level()?.queueSet.waiting).toBe(0);
  });

  it('keeps its place when its level is reconfigured', () => {
    const { controller, decisions, wait, executing } = crowded();
    for (let i = 0; i < 3; i++) wait(`${i}`, userOf(`user-${i}`));
    controller.configure({ levels: [limited('one', 1000, 5)], schemas: [everything('all', 'one')] });
    expect(decisions).toEqual([]);
    for (const request of executing.slice(0, 3)) controller.finish(request);
    expect(decisions).toHaveLength(3);
    expect(new Set(decisions.map((one) => one.split(' ')[1]))).toEqual(new Set(['true']));
  });

  it('is still executed after its level was deleted, which removes the level afterwards', () => {
    const { controller, decisions, wait, executing, level } = crowded();
    const last = wait('last');
    controller.configure({ levels: [], schemas: [everything('all', 'one')] });
    expect(level()?.quiescing).toBe(true);
    expect(controller.classify(noisy, infoOf()).name).toBe('catch-all');
    for (const request of executing) controller.finish(request);
    expect(decisions).toEqual(['last true']);
    expect(level()).toBeDefined();
    controller.finish(last);
    expect(level()).toBeUndefined();
    expect(controller.levels.map(({ name }) => name)).toEqual(['catch-all', 'exempt']);
  });

  it('keeps its deleted level until the final seats of a write are released', () => {
    const { clock, controller } = oneLevel();
    for (let i = 0; i < 25; i++) controller.watches.register(infoOf({ verb: 'watch' }));
    const write = controller.start(noisy, infoOf({ verb: 'update', name: 'x' }), noQuery);
    const names = (): string[] => controller.levels.map(({ name }) => name);
    controller.configure({ levels: [], schemas: [] });
    controller.finish(write);
    expect(names()).toEqual(['catch-all', 'exempt', 'one']);
    clock.turn(10_000);
    controller.adjustSeats();
    expect(names()).toEqual(['catch-all', 'exempt']);
    expect(write.flow.recorder.executingSeats.value).toBe(0);
  });

  it('gets the final seats of a finished write when they are released', () => {
    const { clock, queueSet, requestOf } = newLevel();
    queueSet.configure({ type: 'queue', queues: 1, handSize: 1, queueLengthLimit: 5 }, 1, 1);
    const write = requestOf('write', { finalSeats: 1, additionalLatencyMs: 20 });
    queueSet.start(write, [0]);
    queueSet.finish(write);
    const next = requestOf('next');
    queueSet.start(next, [0]);
    expect([write.phase, next.phase, queueSet.seatsInUse]).toEqual(['done', 'waiting', 1]);
    clock.turn(19);
    expect(next.phase).toBe('waiting');
    clock.turn(1);
    expect(next.phase).toBe('executing');
    queueSet.finish(next);
    expect(clock.pending).toBe(0);
  });
});

describe('in any sequence of events', () => {
  type Step = { readonly ms: number } & (
    | { readonly kind: 'start'; readonly flow: number; readonly seats: number; readonly latency: number }
    | { readonly kind: 'finish' | 'cancel'; readonly which: number }
    | { readonly kind: 'limit'; readonly limit: number; readonly queues: number }
  );
  const ms = fc.integer({ min: 0, max: 20 });
  const which = fc.nat(50);
  const step: fc.Arbitrary<Step> = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant('start' as const),
        ms,
        flow: fc.nat(4),
        seats: fc.integer({ min: 1, max: 6 }),
        latency: fc.constantFrom(0, 0, 5),
      }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('finish' as const), ms, which }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const), ms, which }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('limit' as const),
        ms,
        limit: fc.integer({ min: 1, max: 8 }),
        queues: fc.integer({ min: 1, max: 8 }),
      }),
    },
  );

  it('no seat is lost, used twice, or left idle while a request could use it', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const { clock, queueSet, requestOf } = newLevel();
        let [limit, queues] = [4, 8];
        const configure = (): void =>
          queueSet.configure({ type: 'queue', queues, handSize: 1, queueLengthLimit: 3 }, limit, limit);
        configure();
        const requests: FlowRequest[] = [];
        const inPhase = (phase: string): FlowRequest[] => requests.filter((request) => request.phase === phase);
        const of = (phase: string, index: number): FlowRequest | undefined => {
          const some = inPhase(phase);
          return some[index % Math.max(1, some.length)];
        };
        let limitFell = false;
        for (const one of steps) {
          clock.turn(one.ms);
          if (one.kind === 'start') {
            const request = requestOf('', {
              initialSeats: one.seats,
              additionalLatencyMs: one.latency,
              finalSeats: one.latency ? 1 : 0,
            });
            requests.push(request);
            queueSet.start(request, [one.flow % queues]);
          } else if (one.kind === 'limit') {
            limitFell ||= one.limit < limit;
            [limit, queues] = [one.limit, one.queues];
            configure();
          } else {
            const request = of(one.kind === 'finish' ? 'executing' : 'waiting', one.which);
            if (request && one.kind === 'finish') queueSet.finish(request);
            if (request && one.kind === 'cancel') queueSet.cancel(request, 'time-out');
          }
          const executing = inPhase('executing');
          expect(queueSet.waiting).toBe(inPhase('waiting').length);
          expect(queueSet.executing.length).toBe(executing.length);
          // Only a request that executes alone may take more seats than the limit.
          if (!limitFell && executing.length > 1) expect(queueSet.seatsInUse).toBeLessThanOrEqual(limit);
          if (queueSet.seatsInUse === 0) expect(queueSet.waiting).toBe(0);
        }
        for (let round = 0; round <= requests.length; round++) {
          for (const request of inPhase('executing')) queueSet.finish(request);
          clock.turn(1_000);
        }
        queueSet.sync();
        expect([queueSet.isIdle, queueSet.seatsInUse, inPhase('waiting').length]).toEqual([true, 0, 0]);
        expect(queueSet.usedQueues.every((queue) => queue.index < queues && queue.seatsInUse === 0)).toBe(true);
        expect(clock.pending).toBe(0);
      }),
      { numRuns: 150 },
    );
  });
});
