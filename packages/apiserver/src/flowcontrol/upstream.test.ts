import { readFileSync } from 'node:fs';
import type { FlowSchema, PriorityLevelConfiguration } from '@coxswain/api/flowcontrol/v1';
import { readQuery } from '@coxswain/component-base/http';
import { describe, expect, it } from 'vitest';
import { flowSchemas } from '../bootstrap/index.ts';
import type { RequestInfo } from '../http/request-context.ts';
import type { FlowRequest } from './flow-request.ts';
import { infoOf, newController, newLevel } from './requests.test-data.ts';
import { allocate } from './seat-allocation.ts';
import { printSeatSeconds } from './seat-seconds.ts';
import { dealHand, flowHash } from './shuffle-sharding.ts';
import { workEstimator } from './work-estimate.ts';

/** Reads recorded results of upstream's library. */
const recorded = <T>(name: string): T =>
  JSON.parse(readFileSync(new URL(`testdata/${name}.json`, import.meta.url), 'utf8')) as T;

describe('shuffle sharding', () => {
  interface Hand {
    deck: number;
    handSize: number;
    schema: string;
    distinguisher: string;
    hash: string;
    hand: number[];
  }

  it('deals the same hands as upstream', () => {
    const hands = recorded<Hand[]>('shuffle-sharding');
    expect(hands.length).toBeGreaterThan(30);
    for (const { deck, handSize, schema, distinguisher, hash, hand } of hands) {
      expect(String(flowHash(schema, distinguisher))).toBe(hash);
      expect(dealHand(deck, handSize, BigInt(hash)), `${schema} ${distinguisher} from ${deck}`).toEqual(hand);
    }
  });
});

describe('classification', () => {
  interface Recording {
    schemas: FlowSchema[];
    cases: {
      user: string;
      groups: string[] | null;
      info: Partial<RequestInfo>;
      schema: string;
      level: string;
      distinguisher: string;
    }[];
  }

  it('assigns requests to the same FlowSchemas as upstream', () => {
    const { schemas, cases } = recorded<Recording>('classification');
    const { controller } = newController();
    controller.configure({ levels: controller.levels.map(({ configuration }) => configuration), schemas });
    expect(cases.length).toBeGreaterThan(200);
    for (const { user, groups, info, ...expected } of cases) {
      const asked = infoOf({ ...info, isResourceRequest: info.path === undefined });
      const who = { username: user, groups: groups ?? [] };
      // Upstream uses catch-all, after a warning, when no schema matches.
      const { schema = 'catch-all', level = 'catch-all' } = expected.schema === '' ? {} : expected;
      const flow = controller.classify(who, asked);
      expect([flow.name, flow.level.name], JSON.stringify({ user, info })).toEqual([schema, level]);
      if (flow.level.queuing.type === 'queue')
        expect(flow.distinguish(who, asked), JSON.stringify({ user, info })).toBe(expected.distinguisher);
    }
  });
});

describe('seats', () => {
  interface Recording {
    levels: PriorityLevelConfiguration[];
    cases: {
      total: number;
      custom: boolean;
      limits: Record<string, { Nominal: number; Min: number; Max: number; Current: number; MaxSeats: number }>;
      periods: { demand: Record<string, number>; limits: Record<string, number> }[];
    }[];
  }
  const { levels, cases } = recorded<Recording>('limits');
  const customNames = ['big', 'none', 'all'];

  it.each(cases.map((one) => [`${one.total} seats, ${one.custom ? 'more' : 'the usual'} levels`, one] as const))(
    'are divided, lent and borrowed as upstream: %s',
    (_, { total, custom, limits, periods }) => {
      const used = levels.filter(({ metadata }) => custom || !customNames.includes(metadata.name ?? ''));
      const { clock, controller } = newController({
        serverSeats: total,
        configuration: { levels: used, schemas: flowSchemas },
      });
      const found = controller.levels.map(({ name, limits: { nominal, min, max, maxSeatsPerRequest }, queueSet }) => [
        name,
        { Nominal: nominal, Min: min, Max: max, Current: queueSet.limit, MaxSeats: maxSeatsPerRequest },
      ]);
      expect(Object.fromEntries(found)).toEqual(limits);
      for (const [index, { demand, limits: expected }] of periods.entries()) {
        for (const { name, queueSet } of controller.levels)
          if (demand[name] !== undefined) queueSet.demand.set(demand[name], clock.now());
        clock.turn(10_000);
        controller.adjustSeats();
        const current = controller.levels.map(({ name, queueSet }) => [name, queueSet.limit]);
        expect(Object.fromEntries(current), `after period ${index}`).toEqual(expected);
      }
    },
  );

  it('are allocated by bounds and targets', () => {
    const problems =
      recorded<{ total: number; claims: [number, number, number][]; shares?: number[]; fairFraction?: number }[]>(
        'allocations',
      );
    for (const { total, claims, shares, fairFraction } of problems) {
      const found = allocate(
        total,
        claims.map(([wanted, least, most]) => ({ wanted, least, most })),
      );
      expect(found === undefined, JSON.stringify(claims)).toBe(shares === undefined);
      for (const [index, share] of (shares ?? []).entries()) expect(found?.shares[index]).toBeCloseTo(share, 6);
      if (fairFraction !== undefined) expect(found?.fairFraction).toBeCloseTo(fairFraction, 6);
    }
  });
});

describe('work estimates', () => {
  interface Recording {
    queries: string[];
    lists: {
      sized: boolean;
      max: number;
      stats: { count: number; size: number } | null;
      verb: string;
      name: string;
      seats: number[];
    }[];
    writes: {
      max: number;
      watches: number;
      resource: string;
      subresource: string;
      verb: string;
      initialSeats: number;
      finalSeats: number;
      latencyMs: number;
    }[];
  }
  const { queries, lists, writes } = recorded<Recording>('work-estimates');
  const { level, requestOf } = newLevel();
  const asked = (info: Partial<RequestInfo>): FlowRequest => Object.assign(requestOf(''), { info: infoOf(info) });
  const allow = (maxSeatsPerRequest: number): void => {
    level.limits = { ...level.limits, maxSeatsPerRequest };
  };

  it('of lists and watches are the same as upstream’s', () => {
    for (const { sized, max, stats, verb, name, seats } of lists) {
      allow(max);
      const estimate = workEstimator({
        objectStats: () => (stats && { entries: stats.count, bytes: stats.count * stats.size }) || undefined,
        interestedWatches: () => 0,
        sizeBasedLists: sized,
        watchLists: true,
      });
      for (const [index, query] of queries.entries()) {
        const request = asked({ verb, name });
        estimate(request, readQuery(query));
        expect(request.maxSeats, JSON.stringify({ sized, max, stats, verb, name, query })).toBe(seats[index]);
      }
    }
  });

  it('of writes are the same as upstream’s', () => {
    for (const { max, watches, resource, subresource, verb, initialSeats, finalSeats, latencyMs } of writes) {
      allow(max);
      const estimate = workEstimator({
        objectStats: () => undefined,
        interestedWatches: () => watches,
        sizeBasedLists: true,
        watchLists: true,
      });
      const request = asked({ verb, resource, subresource });
      estimate(request, readQuery(''));
      expect(request).toMatchObject({ initialSeats, finalSeats });
      expect(request.additionalLatencyMs).toBeCloseTo(latencyMs, 5);
    }
  });
});

describe('fair queuing', () => {
  interface Trace {
    queues: number;
    handSize: number;
    queueLengthLimit: number;
    limit: number;
    steps: {
      ms: number;
      start?: { id: string; hand: number[] | null; initialSeats: number; finalSeats: number; latencyMs: number };
      rejected?: boolean;
      finish?: string;
      limit?: number;
      executing: string[];
      waiting: string[];
      nextDispatchR: Record<string, string>;
      seatsInUse: number;
    }[];
  }

  it.each(recorded<Trace[]>('queue-traces').map((trace, index) => [index, trace] as const))(
    'executes requests in the same order as upstream: trace %i',
    (_, { queues, handSize, queueLengthLimit, limit, steps }) => {
      const { clock, queueSet, requestOf } = newLevel();
      const queuing =
        queues === 0 ? ({ type: 'reject' } as const) : ({ type: 'queue', queues, handSize, queueLengthLimit } as const);
      queueSet.configure(queuing, limit, limit);
      const requests = new Map<string, FlowRequest>();
      const inPhase = (phase: string): string[] =>
        [...requests].filter(([, request]) => request.phase === phase).map(([id]) => id);
      for (const [index, step] of steps.entries()) {
        clock.turn(step.ms - clock.now());
        if (step.start) {
          const { id, hand, initialSeats, finalSeats, latencyMs } = step.start;
          const request = requestOf(id, { initialSeats, finalSeats, additionalLatencyMs: latencyMs });
          requests.set(id, request);
          queueSet.start(request, hand ?? []);
          expect(request.phase === 'rejected', `step ${index}`).toBe(step.rejected === true);
        }
        if (step.finish) queueSet.finish(requests.get(step.finish)!);
        if (step.limit) queueSet.configure(queuing, step.limit, step.limit);
        const active = queueSet.usedQueues.filter(({ isIdle }) => !isIdle);
        expect(
          {
            executing: inPhase('executing'),
            waiting: inPhase('waiting'),
            seatsInUse: queueSet.seatsInUse,
            nextDispatchR: Object.fromEntries(
              active.map((queue) => [queue.index, printSeatSeconds(queue.nextDispatchR)]),
            ),
          },
          `step ${index}`,
        ).toEqual({
          executing: step.executing,
          waiting: step.waiting,
          seatsInUse: step.seatsInUse,
          nextDispatchR: step.nextDispatchR,
        });
      }
      expect(requests.size).toBeGreaterThan(50);
    },
  );
});
