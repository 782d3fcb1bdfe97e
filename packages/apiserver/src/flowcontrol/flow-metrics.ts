import {
  type Collectable,
  type Counter,
  CounterFamily,
  type Gauge,
  GaugeFamily,
  type Histogram,
  HistogramFamily,
} from '../metrics/index.ts';
import { type TimingHistogram, TimingHistogramFamily } from './timing-histogram.ts';

const byLevel = ['priority_level'];
const byFlow = ['priority_level', 'flow_schema'];
const secondsBuckets = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];

const options = (name: string, labels: readonly string[], help: string) => ({
  name: `apiserver_flowcontrol_${name}`,
  labels,
  help,
});
const counter = (name: string, labels: readonly string[], help: string): CounterFamily =>
  new CounterFamily(options(name, labels, help));
const gauge = (name: string, labels: readonly string[], help: string): GaugeFamily =>
  new GaugeFamily(options(name, labels, help));
const histogram = (
  name: string,
  labels: readonly string[],
  buckets: readonly number[],
  help: string,
): HistogramFamily => new HistogramFamily({ ...options(name, labels, help), buckets });

/** Names, labels and buckets are upstream's. Metrics that upstream hides because they are deprecated are omitted. */
function newFamilies(now: () => number) {
  const timing = (name: string, labels: readonly string[], buckets: readonly number[], help: string) =>
    new TimingHistogramFamily({ ...options(name, labels, help), buckets }, now);
  return {
    rejected: counter('rejected_requests_total', [...byFlow, 'reason'], 'Number of rejected requests.'),
    dispatched: counter('dispatched_requests_total', byFlow, 'Number of executed requests.'),
    noAccommodation: counter(
      'request_dispatch_no_accommodation_total',
      byFlow,
      'Number of times that the next request could not be executed because it needs more seats than are free.',
    ),
    waitingRequests: gauge('current_inqueue_requests', byFlow, 'Number of requests in queues.'),
    waitingSeats: gauge('current_inqueue_seats', byFlow, 'Number of seats that the requests in queues need.'),
    executingRequests: gauge(
      'current_executing_requests',
      byFlow,
      'Number of executing requests; watches count until their initial events are sent.',
    ),
    executingSeats: gauge('current_executing_seats', byFlow, 'Number of seats in use.'),
    queueLengths: histogram(
      'request_queue_length_after_enqueue',
      byFlow,
      [0, 10, 25, 50, 100, 250, 500, 1000],
      'Length of the queue after each enqueued request, including it.',
    ),
    waits: histogram('request_wait_duration_seconds', [...byFlow, 'execute'], secondsBuckets, 'Time spent in a queue.'),
    executions: histogram(
      'request_execution_seconds',
      [...byFlow, 'type'],
      secondsBuckets,
      'Execution time; of a watch, until its initial events are sent.',
    ),
    watchCounts: histogram(
      'watch_count_samples',
      byFlow,
      [0, 1, 10, 100, 1000, 10000],
      'Number of watches that may receive an event for a write.',
    ),
    estimatedSeats: histogram(
      'work_estimated_seats',
      byFlow,
      [1, 2, 4, 8, 16, 32, 64, 100],
      'Estimated number of seats of requests.',
    ),
    currentR: gauge('current_r', byLevel, 'Virtual time.'),
    dispatchR: gauge('dispatch_r', byLevel, 'Virtual time when a request was last executed.'),
    latestS: gauge('latest_s', byLevel, 'Virtual start of the request that was last executed.'),
    nextS: gauge(
      'next_s_bounds',
      [...byLevel, 'bound'],
      'Minimum and maximum virtual start of the next requests of all queues.',
    ),
    nextDiscountedS: gauge(
      'next_discounted_s_bounds',
      [...byLevel, 'bound'],
      'Minimum and maximum virtual start of the next requests, minus the work that their queues execute.',
    ),
    nominalLimit: gauge('nominal_limit_seats', byLevel, "Number of seats by the level's shares."),
    lowerLimit: gauge('lower_limit_seats', byLevel, 'Minimum number of seats, when all lendable seats are lent.'),
    upperLimit: gauge('upper_limit_seats', byLevel, 'Maximum number of seats, with all that can be borrowed.'),
    currentLimit: gauge('current_limit_seats', byLevel, 'Current number of seats of the level.'),
    demandHigh: gauge('demand_seats_high_watermark', byLevel, 'Maximum demand for seats in the last period.'),
    demandAverage: gauge(
      'demand_seats_average',
      byLevel,
      'Time-weighted average of the demand for seats in the last period.',
    ),
    demandDeviation: gauge(
      'demand_seats_stdev',
      byLevel,
      'Time-weighted standard deviation of the demand for seats in the last period.',
    ),
    demandSmoothed: gauge(
      'demand_seats_smoothed',
      byLevel,
      'Smoothed demand for seats: rises at once and falls slowly.',
    ),
    targetSeats: gauge('target_seats', byLevel, 'Number of seats that the level should get if there are enough.'),
    fairFraction: gauge('seat_fair_frac', [], 'Fraction of their targets that levels within their bounds got.'),
    demand: timing(
      'demand_seats',
      byLevel,
      [0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.7, 2, 2.8, 4, 6],
      'Nanoseconds by demand for seats, as a fraction of the nominal seats of the level.',
    ),
    seatUtilization: timing(
      'priority_level_seat_utilization',
      ['phase', ...byLevel],
      [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1],
      'Nanoseconds by seats in use, as a fraction of the seats of the level.',
    ),
    requestUtilization: timing(
      'priority_level_request_utilization',
      ['phase', ...byLevel],
      [0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.25, 0.5, 0.75, 1],
      'Nanoseconds by waiting or executing requests, as a fraction of the maximum number of them.',
    ),
    readsAndWrites: timing(
      'read_vs_write_current_requests',
      ['phase', 'request_kind'],
      [0, 0.001, 0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1],
      'Nanoseconds by waiting or executing reads and writes of the server, as a fraction of the maximum number.',
    ),
  };
}

type Families = ReturnType<typeof newFamilies>;

/** Metrics of flows whose requests may be queued. */
interface QueueRecorder {
  readonly waitingRequests: Gauge;
  readonly waitingSeats: Gauge;
  readonly queueLengths: Histogram;
  readonly noAccommodation: Counter;
  /** Waiting times of requests that were executed. */
  readonly waits: Histogram;
}

/** The metrics of one FlowSchema at one level. Series are created when first used. */
export class FlowRecorder {
  readonly #families: Families;
  readonly #labels: [level: string, schema: string];
  readonly dispatched: Counter;
  readonly executingRequests: Gauge;
  readonly executingSeats: Gauge;
  readonly estimatedSeats: Histogram;
  #queueing: QueueRecorder | undefined;
  #executions: Histogram | undefined;
  #watchExecutions: Histogram | undefined;
  #watchCounts: Histogram | undefined;

  constructor(families: Families, level: string, schema: string) {
    this.#families = families;
    this.#labels = [level, schema];
    this.dispatched = families.dispatched.with(level, schema);
    this.executingRequests = families.executingRequests.with(level, schema);
    this.executingSeats = families.executingSeats.with(level, schema);
    this.estimatedSeats = families.estimatedSeats.with(level, schema);
  }

  get queueing(): QueueRecorder {
    this.#queueing ??= {
      waitingRequests: this.#families.waitingRequests.with(...this.#labels),
      waitingSeats: this.#families.waitingSeats.with(...this.#labels),
      queueLengths: this.#families.queueLengths.with(...this.#labels),
      noAccommodation: this.#families.noAccommodation.with(...this.#labels),
      waits: this.#families.waits.with(...this.#labels, 'true'),
    };
    return this.#queueing;
  }

  get executions(): Histogram {
    this.#executions ??= this.#families.executions.with(...this.#labels, 'regular');
    return this.#executions;
  }

  get watchExecutions(): Histogram {
    this.#watchExecutions ??= this.#families.executions.with(...this.#labels, 'watch');
    return this.#watchExecutions;
  }

  get watchCounts(): Histogram {
    this.#watchCounts ??= this.#families.watchCounts.with(...this.#labels);
    return this.#watchCounts;
  }

  rejected(reason: string): void {
    this.#families.rejected.with(...this.#labels, reason).inc();
  }

  waitedInVain(seconds: number): void {
    this.#families.waits.with(...this.#labels, 'false').observe(seconds);
  }
}

/** Virtual times of a level with queues, updated whenever a request is executed. */
interface DispatchRecorder {
  readonly dispatchR: Gauge;
  readonly latestS: Gauge;
  readonly minS: Gauge;
  readonly maxS: Gauge;
  readonly minDiscountedS: Gauge;
  readonly maxDiscountedS: Gauge;
}

/** The metrics of a priority level. */
export class LevelRecorder {
  readonly #families: Families;
  readonly #level: string;
  readonly seats: TimingHistogram;
  readonly executing: TimingHistogram;
  readonly waiting: TimingHistogram;
  readonly demand: TimingHistogram;
  #dispatch: DispatchRecorder | undefined;

  constructor(families: Families, level: string) {
    this.#families = families;
    this.#level = level;
    this.seats = families.seatUtilization.with('executing', level);
    this.executing = families.requestUtilization.with('executing', level);
    this.waiting = families.requestUtilization.with('waiting', level);
    this.demand = families.demand.with(level);
  }

  get dispatch(): DispatchRecorder {
    const { dispatchR, latestS, nextS, nextDiscountedS } = this.#families;
    this.#dispatch ??= {
      dispatchR: dispatchR.with(this.#level),
      latestS: latestS.with(this.#level),
      minS: nextS.with(this.#level, 'min'),
      maxS: nextS.with(this.#level, 'max'),
      minDiscountedS: nextDiscountedS.with(this.#level, 'min'),
      maxDiscountedS: nextDiscountedS.with(this.#level, 'max'),
    };
    return this.#dispatch;
  }
}

type ByKind = Readonly<Record<'readOnly' | 'mutating', TimingHistogram>>;

/** The metrics of priority and fairness. Flows and levels keep their recorders, so requests need no lookup by label. */
export class FlowMetrics {
  /** Families without a recorder are set when limits change, or before a scrape. */
  readonly families: Families;
  readonly executing: ByKind;
  readonly waiting: ByKind;

  constructor(now: () => number) {
    this.families = newFamilies(now);
    const byKind = (phase: string): ByKind => ({
      readOnly: this.families.readsAndWrites.with(phase, 'readOnly'),
      mutating: this.families.readsAndWrites.with(phase, 'mutating'),
    });
    this.executing = byKind('executing');
    this.waiting = byKind('waiting');
  }

  get collectables(): readonly Collectable[] {
    return Object.values(this.families);
  }

  /** Removes the series of all other priority levels and FlowSchemas. */
  keepOnly(levels: ReadonlySet<string>, schemas: ReadonlySet<string>): void {
    for (const family of Object.values(this.families)) {
      family.forget(['priority_level'], (level) => !levels.has(level));
      family.forget(['flow_schema'], (schema) => !schemas.has(schema));
    }
  }

  flow(level: string, schema: string): FlowRecorder {
    return new FlowRecorder(this.families, level, schema);
  }

  level(name: string): LevelRecorder {
    return new LevelRecorder(this.families, name);
  }
}
