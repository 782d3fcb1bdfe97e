import type { FeatureGates } from '@coxswain/api';
import type { FlowSchema, PriorityLevelConfiguration } from '@coxswain/api/flowcontrol/v1';
import type { Clock, Timer } from '@coxswain/apimachinery/clock';
import type { EventLoop } from '@coxswain/apimachinery/turns';
import type { Filter, RequestState } from '../filters/index.ts';
import type { ContextHandler } from '../http/request-context.ts';
import type { ServerMetrics } from '../metrics/index.ts';
import type { Lister, Listers } from '../registry/lister.ts';
import { flowControlDebugPages } from './debug-pages.ts';
import { type FlowConfiguration, FlowController } from './flow-controller.ts';
import { withPriorityAndFairness } from './with-priority-and-fairness.ts';
import type { ObjectStats } from './work-estimate.ts';

/** Seats are lent and given back this often. */
const borrowingPeriodMs = 10_000;
const group = 'flowcontrol.apiserver.k8s.io';

export interface FlowControlOptions {
  /** `--max-requests-inflight` and `--max-mutating-requests-inflight` together; above zero. */
  readonly serverSeats: number;
  readonly requestTimeoutMs: number;
  readonly features: FeatureGates;
  /** What a cluster begins with: in force until what is stored is known. */
  readonly bootstrap: FlowConfiguration;
  readonly listers: Listers;
  readonly objectStats: (group: string, resource: string) => ObjectStats | undefined;
  readonly metrics: ServerMetrics;
  readonly now: () => Date;
  readonly onRejected?: (state: RequestState) => void;
  readonly clock: Clock;
  readonly eventLoop: EventLoop;
}

/**
 * Priority and fairness of one server: the filter for its handler chain, kept in step with the flow schemas and priority
 * levels that are stored. It works from the start; `follow` makes it listen, `close` sends away whoever waits.
 */
export class FlowControl {
  readonly controller: FlowController;
  readonly filter: Filter;
  /** For `/debug/…`. */
  readonly debugPages: ContextHandler;
  readonly #levels: Lister<PriorityLevelConfiguration>;
  readonly #schemas: Lister<FlowSchema>;
  readonly #clock: Clock;
  readonly #eventLoop: EventLoop;
  readonly #stops: (() => void)[] = [];
  #period: Timer | undefined;
  #isDue = false;
  #isClosed = false;

  constructor(options: FlowControlOptions) {
    const { serverSeats, bootstrap, features, objectStats, metrics, now, clock, eventLoop } = options;
    this.#clock = clock;
    this.#eventLoop = eventLoop;
    this.#levels = options.listers.lister(group, 'prioritylevelconfigurations');
    this.#schemas = options.listers.lister(group, 'flowschemas');
    this.controller = new FlowController({
      serverSeats,
      clock,
      configuration: bootstrap,
      objectStats,
      sizeBasedLists: features.enabled('SizeBasedListCostEstimate'),
      watchLists: features.enabled('WatchList'),
    });
    this.filter = withPriorityAndFairness({
      controller: this.controller,
      requestTimeoutMs: options.requestTimeoutMs,
      now,
      ...(options.onRejected && { onRejected: options.onRejected }),
    });
    this.debugPages = flowControlDebugPages(this.controller, now);
    metrics.register(this.controller.metrics.collectables);
    this.#stops.push(metrics.onCollect(() => this.controller.collect()));
  }

  /** From now on what is stored counts. To be called when the objects that a cluster begins with are there. */
  async follow(): Promise<void> {
    await Promise.all([this.#levels.synced, this.#schemas.synced]);
    if (this.#isClosed) return;
    // Conditions are not for us: a status that changes is no change.
    const onChange = (object?: { spec?: object }, old?: { spec?: object }): void => {
      if (object && old && JSON.stringify(object.spec) === JSON.stringify(old.spec)) return;
      this.#configureSoon();
    };
    this.#stops.push(this.#levels.onChange(onChange), this.#schemas.onChange(onChange));
    this.#configure();
    this.#schedulePeriod();
  }

  /** Whoever waits is sent away, and nothing is listened to any more. Requests are still let in as far as seats go. */
  close(): void {
    this.#isClosed = true;
    for (const stop of this.#stops.splice(0)) stop();
    this.#period?.cancel();
    this.controller.cancelAll();
  }

  /** Objects often change together. */
  #configureSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    this.#eventLoop.onNextTurn(() => {
      this.#isDue = false;
      if (!this.#isClosed) this.#configure();
    });
  }

  #configure(): void {
    this.controller.configure({ levels: this.#levels.list(), schemas: this.#schemas.list() });
  }

  #schedulePeriod(): void {
    const borrow = (): void => {
      this.controller.adjustSeats();
      this.#schedulePeriod();
    };
    this.#period = this.#clock.setTimeout(borrow, borrowingPeriodMs, { background: true });
  }
}
