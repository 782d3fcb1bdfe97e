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

/** The interval at which seats are lent and returned between levels. */
const borrowingPeriodMs = 10_000;
const group = 'flowcontrol.apiserver.k8s.io';

export interface FlowControlOptions {
  /** `--max-requests-inflight` and `--max-mutating-requests-inflight` together; above zero. */
  readonly serverSeats: number;
  readonly requestTimeoutMs: number;
  readonly features: FeatureGates;
  /** The configuration of a new cluster, used until `follow` has read the stored one. */
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
 * Priority and fairness of one server: the filter for its handler chain. It works with the bootstrap configuration from the
 * start. `follow` makes it use the stored FlowSchemas and PriorityLevelConfigurations, `close` rejects all queued requests.
 */
export class FlowControl {
  readonly controller: FlowController;
  readonly filter: Filter;
  /** Serves `/debug/api_priority_and_fairness/…`. */
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

  /** Applies the stored configuration, now and on every change. Must be called after the bootstrap objects were created. */
  async follow(): Promise<void> {
    await Promise.all([this.#levels.synced, this.#schemas.synced]);
    if (this.#isClosed) return;
    // Changes of the status are ignored.
    const onChange = (object?: { spec?: object }, old?: { spec?: object }): void => {
      if (object && old && JSON.stringify(object.spec) === JSON.stringify(old.spec)) return;
      this.#configureSoon();
    };
    this.#stops.push(this.#levels.onChange(onChange), this.#schemas.onChange(onChange));
    this.#configure();
    this.#schedulePeriod();
  }

  /** Rejects all queued requests and stops following the stored configuration. Later requests still execute when seats are free. */
  close(): void {
    this.#isClosed = true;
    for (const stop of this.#stops.splice(0)) stop();
    this.#period?.cancel();
    this.controller.cancelAll();
  }

  /** Schedules one reconfiguration for all changes of this event loop turn, because objects often change together. */
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
