import type { UserInfo } from '@coxswain/api';
import type { FlowSchema, PriorityLevelConfiguration } from '@coxswain/api/flowcontrol/v1';
import type { Clock } from '@coxswain/apimachinery/clock';
import type { RequestInfo } from '../http/request-context.ts';
import { planSeats } from './borrowing.ts';
import { Flow } from './flow.ts';
import { FlowMetrics } from './flow-metrics.ts';
import { FlowRequest } from './flow-request.ts';
import { levelLimits, queuingOf, sharesOf } from './level-limits.ts';
import { PriorityLevel } from './priority-level.ts';
import { toSeatSeconds } from './seat-seconds.ts';
import { WatchTracker } from './watch-tracker.ts';
import { type WorkEstimateOptions, type WorkEstimator, workEstimator } from './work-estimate.ts';

export interface FlowConfiguration {
  readonly levels: readonly PriorityLevelConfiguration[];
  readonly schemas: readonly FlowSchema[];
}

export interface FlowControllerOptions extends Omit<WorkEstimateOptions, 'interestedWatches'> {
  /** `--max-requests-inflight` and `--max-mutating-requests-inflight` together. */
  readonly serverSeats: number;
  readonly clock: Clock;
  /** The initial configuration. Its `exempt` and `catch-all` objects are used whenever a later one lacks them. */
  readonly configuration: FlowConfiguration;
}

const mandatory: ReadonlySet<string> = new Set(['exempt', 'catch-all']);
const readOnlyVerbs: ReadonlySet<string> = new Set(['get', 'list', 'watch']);

/**
 * Priority and fairness: decides for each request whether it is executed, queued or rejected. FlowSchemas assign requests to
 * priority levels; the server's seats are divided among the levels.
 */
export class FlowController {
  readonly watches = new WatchTracker();
  readonly metrics: FlowMetrics;
  readonly clock: Clock;
  /** The number of executing requests. Watches count only until their initial events are sent. */
  readonly executing = { readOnly: 0, mutating: 0 };
  readonly #waiting = { readOnly: 0, mutating: 0 };
  readonly #serverSeats: number;
  readonly #defaults: FlowConfiguration;
  readonly #estimate: WorkEstimator;
  readonly #levels = new Map<string, PriorityLevel>();
  /** In matching order. */
  #flows: readonly Flow[] = [];
  #catchAll: Flow | undefined;
  #configuration: FlowConfiguration;

  constructor({ serverSeats, clock, configuration, ...estimate }: FlowControllerOptions) {
    this.clock = clock;
    this.metrics = new FlowMetrics(() => clock.monotonic());
    this.#serverSeats = serverSeats;
    this.#defaults = configuration;
    this.#estimate = workEstimator({ ...estimate, interestedWatches: (info) => this.watches.interested(info) });
    this.#configuration = configuration;
    this.configure(configuration);
  }

  /** Sorted by name. */
  get levels(): readonly PriorityLevel[] {
    return [...this.#levels.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /**
   * Applies a configuration to later requests. Queued requests stay in their queues; a deleted level remains until its requests
   * are done.
   */
  configure(configuration: FlowConfiguration): void {
    this.#configuration = configuration;
    const wanted = new Set<string>();
    for (const level of configuration.levels) if (this.#configureLevel(level)) wanted.add(level.metadata.name ?? '');
    for (const level of this.#defaults.levels) {
      const { name = '' } = level.metadata;
      if (mandatory.has(name) && !wanted.has(name) && this.#configureLevel(level)) wanted.add(name);
    }
    for (const level of this.#levels.values()) {
      level.quiescing = !wanted.has(level.name);
      if (isLeftOver(level)) this.#levels.delete(level.name);
    }
    this.#configureFlows(configuration.schemas);
    this.metrics.keepOnly(new Set(this.#levels.keys()), new Set(this.#flows.map(({ name }) => name)));
    this.#divideShares();
    this.adjustSeats();
  }

  #configureLevel(configuration: PriorityLevelConfiguration): boolean {
    const { name = '' } = configuration.metadata;
    const queuing = queuingOf(configuration);
    if (!queuing) return false;
    const known = this.#levels.get(name);
    if (known) {
      known.configuration = configuration;
      known.queuing = queuing;
    } else {
      this.#levels.set(name, new PriorityLevel(name, configuration, queuing, this.clock, this.metrics));
    }
    return true;
  }

  #configureFlows(schemas: readonly FlowSchema[]): void {
    const usable = schemas.filter(({ spec }) => this.#isWanted(spec?.priorityLevelConfiguration.name ?? ''));
    const sorted = [...usable].sort(byPrecedence);
    const missing = (name: string): FlowSchema[] =>
      usable.some(({ metadata }) => metadata.name === name)
        ? []
        : this.#defaults.schemas.filter(({ metadata }) => metadata.name === name);
    this.#flows = [...missing('exempt'), ...sorted, ...missing('catch-all')].flatMap((schema) => {
      const level = this.#levels.get(schema.spec?.priorityLevelConfiguration.name ?? '');
      return level ? [new Flow(schema, level, this.metrics)] : [];
    });
    this.#catchAll = this.#flows.find(({ name }) => name === 'catch-all');
  }

  #isWanted(name: string): boolean {
    const level = this.#levels.get(name);
    return level !== undefined && !level.quiescing;
  }

  #divideShares(): void {
    const levels = this.levels;
    const shareSum = levels.reduce((sum, { configuration }) => sum + sharesOf(configuration), 0);
    const { nominalLimit, lowerLimit, upperLimit } = this.metrics.families;
    let [nominalSum, roomToWait] = [0, 0];
    for (const level of levels) {
      level.limits = levelLimits(level.configuration, this.#serverSeats, shareSum);
      nominalLimit.with(level.name).set(level.limits.nominal);
      lowerLimit.with(level.name).set(level.limits.min);
      upperLimit.with(level.name).set(level.limits.max);
      nominalSum += level.limits.nominal;
      if (level.queuing.type === 'queue') roomToWait += level.queuing.queues * level.queuing.queueLengthLimit;
    }
    const now = this.clock.monotonic();
    const { executing, waiting } = this.metrics;
    for (const ratio of [executing.readOnly, executing.mutating]) ratio.setDenominator(Math.max(1, nominalSum), now);
    for (const ratio of [waiting.readOnly, waiting.mutating]) ratio.setDenominator(Math.max(1, roomToWait), now);
  }

  /** Ends a borrowing period: divides the seats by the demand of the levels in it. */
  adjustSeats(): void {
    const { levels, metrics } = this;
    for (const { queueSet } of levels) queueSet.demand.endPeriod(queueSet.sync());
    if (levels.some(isLeftOver)) {
      this.configure(this.#configuration);
      return;
    }
    const { seats, fairFraction } = planSeats(levels);
    const families = metrics.families;
    families.fairFraction.with().set(fairFraction);
    for (const [level, { limit, target }] of seats) {
      const { demand } = level.queueSet;
      families.demandHigh.with(level.name).set(demand.highWatermark);
      families.demandAverage.with(level.name).set(demand.average);
      families.demandDeviation.with(level.name).set(demand.deviation);
      families.demandSmoothed.with(level.name).set(demand.smoothed);
      families.targetSeats.with(level.name).set(target);
      families.currentLimit.with(level.name).set(limit);
      // The denominator of the metrics must not be zero.
      const denominator = limit > 0 ? limit : Math.max(1, Math.round(this.#serverSeats / 10));
      level.queueSet.configure(level.queuing, limit, denominator);
    }
  }

  /** Returns the flow of the first FlowSchema that matches the request; `catch-all` when none does. */
  classify(user: UserInfo, info: RequestInfo): Flow {
    for (const flow of this.#flows) if (flow.matches(user, info)) return flow;
    if (!this.#catchAll) throw new Error('there is no flow schema catch-all');
    return this.#catchAll;
  }

  /** Starts a request. When this returns it is `executing`, `waiting` or `rejected`. Callers must `finish` it when it is done. */
  start(user: UserInfo, info: RequestInfo, query: URLSearchParams): FlowRequest {
    const flow = this.classify(user, info);
    const distinguisher = flow.distinguish(user, info);
    const request = new FlowRequest(flow, distinguisher, user, info);
    this.#estimate(request, query);
    flow.recorder.estimatedSeats.observe(request.maxSeats);
    flow.level.queueSet.start(request, flow.hand(distinguisher));
    if (request.phase === 'executing') this.#count('executing', request, 1, request.startedMs);
    else if (request.phase === 'waiting') this.#count('waiting', request, 1, request.arrivedMs);
    return request;
  }

  /** Calls back once when a waiting request is executed (true) or rejected (false). */
  onDecision(request: FlowRequest, callback: (execute: boolean) => void): void {
    request.onDecision = (execute) => {
      const now = this.clock.monotonic();
      this.#count('waiting', request, -1, now);
      if (execute) this.#count('executing', request, 1, now);
      callback(execute);
    };
  }

  /** Removes a waiting request from its queue and rejects it. Does nothing in other phases. */
  cancel(request: FlowRequest, reason: 'time-out' | 'cancelled'): void {
    request.flow.level.queueSet.cancel(request, reason);
    this.#reap(request.flow.level);
  }

  /** Ends an executing request and releases its seats. Does nothing when it was finished before. */
  finish(request: FlowRequest): void {
    if (request.phase !== 'executing') return;
    const { flow, info, startedMs } = request;
    const { recorder, level } = flow;
    const executions = info.verb === 'watch' ? recorder.watchExecutions : recorder.executions;
    const now = level.queueSet.finish(request);
    executions.observe((now - startedMs) / 1000);
    this.#count('executing', request, -1, now);
    if (level.quiescing) this.#reap(level);
  }

  /** Rejects all queued requests. */
  cancelAll(): void {
    for (const { queueSet } of this.#levels.values()) queueSet.cancelAll();
  }

  /** Updates metrics that depend on the time. Must be called before they are read. */
  collect(): void {
    for (const { name, queueSet } of this.#levels.values()) {
      queueSet.sync();
      this.metrics.families.currentR.with(name).set(toSeatSeconds(queueSet.currentR));
    }
  }

  /** Removes a deleted level once its last request is done. */
  #reap(level: PriorityLevel): void {
    if (isLeftOver(level) && this.#levels.get(level.name) === level) this.configure(this.#configuration);
  }

  #count(phase: 'executing' | 'waiting', { info }: FlowRequest, delta: 1 | -1, now: number): void {
    const kind = readOnlyVerbs.has(info.verb) ? 'readOnly' : 'mutating';
    const counts = phase === 'executing' ? this.executing : this.#waiting;
    counts[kind] += delta;
    this.metrics[phase][kind].set(counts[kind], now);
  }
}

const isLeftOver = ({ quiescing, queueSet }: PriorityLevel): boolean => quiescing && queueSet.isDrained;

function byPrecedence(a: FlowSchema, b: FlowSchema): number {
  const difference = (a.spec?.matchingPrecedence ?? 0) - (b.spec?.matchingPrecedence ?? 0);
  if (difference !== 0) return difference;
  return (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1;
}
