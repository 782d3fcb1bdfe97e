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

/** Names, labels and buckets are upstream's; those that upstream hides because they are deprecated are left out. */
function newFamilies(now: () => number) {
  const timing = (name: string, labels: readonly string[], buckets: readonly number[], help: string) =>
    new TimingHistogramFamily({ ...options(name, labels, help), buckets }, now);
  return {
    rejected: counter('rejected_requests_total', [...byFlow, 'reason'], 'Requests that were sent away.'),
    dispatched: counter('dispatched_requests_total', byFlow, 'Requests that were let in.'),
    noAccommodation: counter(
      'request_dispatch_no_accommodation_total',
      byFlow,
      'How often the request whose turn it was needed more seats than were free.',
    ),
    waitingRequests: gauge('current_inqueue_requests', byFlow, 'Requests that wait in queues.'),
    waitingSeats: gauge('current_inqueue_seats', byFlow, 'Seats that the requests in queues wait for.'),
    executingRequests: gauge(
      'current_executing_requests',
      byFlow,
      'Requests being answered; of a watch, its beginning.',
    ),
    executingSeats: gauge('current_executing_seats', byFlow, 'Seats taken.'),
    queueLengths: histogram(
      'request_queue_length_after_enqueue',
      byFlow,
      [0, 10, 25, 50, 100, 250, 500, 1000],
      'Length of the queue, as each request that came to it found it with itself.',
    ),
    waits: histogram('request_wait_duration_seconds', [...byFlow, 'execute'], secondsBuckets, 'Time spent in a queue.'),
    executions: histogram(
      'request_execution_seconds',
      [...byFlow, 'type'],
      secondsBuckets,
      'Time on a seat; of a watch, that of its beginning.',
    ),
    watchCounts: histogram(
      'watch_count_samples',
      byFlow,
      [0, 1, 10, 100, 1000, 10000],
      'Watches that may hear of a write.',
    ),
    estimatedSeats: histogram(
      'work_estimated_seats',
      byFlow,
      [1, 2, 4, 8, 16, 32, 64, 100],
      'Seats that requests were estimated to need.',
    ),
    currentR: gauge('current_r', byLevel, 'Virtual time.'),
    dispatchR: gauge('dispatch_r', byLevel, 'Virtual time when a request was last let in.'),
    latestS: gauge('latest_s', byLevel, 'Virtual start of the request that was last let in.'),
    nextS: gauge('next_s_bounds', [...byLevel, 'bound'], 'Least and greatest virtual start of those next in a queue.'),
    nextDiscountedS: gauge(
      'next_discounted_s_bounds',
      [...byLevel, 'bound'],
      'The same, less the work that the queue has under way.',
    ),
    nominalLimit: gauge('nominal_limit_seats', byLevel, "Seats by the level's shares."),
    lowerLimit: gauge('lower_limit_seats', byLevel, 'Seats that are left when all is lent that may be.'),
    upperLimit: gauge('upper_limit_seats', byLevel, 'Seats when all is borrowed that may be.'),
    currentLimit: gauge('current_limit_seats', byLevel, 'Seats that the level has now.'),
    demandHigh: gauge(
      'demand_seats_high_watermark',
      byLevel,
      'Most seats that were wanted at once in the last period.',
    ),
    demandAverage: gauge('demand_seats_average', byLevel, 'Seats wanted in the last period, on average over time.'),
    demandDeviation: gauge('demand_seats_stdev', byLevel, 'Standard deviation of that over time.'),
    demandSmoothed: gauge('demand_seats_smoothed', byLevel, 'Seats wanted, forgotten slowly.'),
    targetSeats: gauge('target_seats', byLevel, 'Seats that the level should get where there are enough.'),
    fairFraction: gauge('seat_fair_frac', [], 'What part of their targets levels got that no bound stopped.'),
    demand: timing(
      'demand_seats',
      byLevel,
      [0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.7, 2, 2.8, 4, 6],
      'Nanoseconds by the seats that were wanted, as part of those that the level has.',
    ),
    seatUtilization: timing(
      'priority_level_seat_utilization',
      ['phase', ...byLevel],
      [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1],
      'Nanoseconds by the seats that were taken, as part of those that the level has.',
    ),
    requestUtilization: timing(
      'priority_level_request_utilization',
      ['phase', ...byLevel],
      [0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.25, 0.5, 0.75, 1],
      'Nanoseconds by the requests that waited or were answered, as part of those for whom there is room.',
    ),
    readsAndWrites: timing(
      'read_vs_write_current_requests',
      ['phase', 'request_kind'],
      [0, 0.001, 0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1],
      'The same by reads and writes, for the whole server.',
    ),
  };
}

type Families = ReturnType<typeof newFamilies>;

/** What is recorded of requests that may have to wait. */
interface QueueRecorder {
  readonly waitingRequests: Gauge;
  readonly waitingSeats: Gauge;
  readonly queueLengths: Histogram;
  readonly noAccommodation: Counter;
  /** Of those who were let in. */
  readonly waits: Histogram;
}

/** What is recorded of the requests of one schema at one level; what never happens is not there. */
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

/** Virtual times of a level whose requests wait in queues, as of the last request that was let in. */
interface DispatchRecorder {
  readonly dispatchR: Gauge;
  readonly latestS: Gauge;
  readonly minS: Gauge;
  readonly maxS: Gauge;
  readonly minDiscountedS: Gauge;
  readonly maxDiscountedS: Gauge;
}

/** What is recorded of a priority level. */
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

/** The metrics of priority and fairness. Recorders are kept by flows and levels: no request looks for one. */
export class FlowMetrics {
  /** Those without a recorder are set when limits are, or before a scrape. */
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

  /** Forgets all priority levels and flow schemas but these. */
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
