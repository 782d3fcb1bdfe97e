import type { Clock, Histogram, Metrics } from '@coxswain/client';
import { Status } from './status.ts';

/** What metrics call the extension points. */
export type TimedPoint =
  | 'PreFilter'
  | 'Filter'
  | 'PostFilter'
  | 'PreScore'
  | 'Score'
  | 'Reserve'
  | 'Unreserve'
  | 'Permit'
  | 'PreBind'
  | 'Bind'
  | 'PostBind';

/** Tells metrics how long the plug-ins of a profile took at each extension point, and how that ended. */
export class ExtensionPointTimer {
  readonly #clock: Clock;
  readonly #profile: string;
  readonly #duration: Histogram;

  constructor(metrics: Metrics, clock: Clock, profile: string) {
    this.#clock = clock;
    this.#profile = profile;
    this.#duration = metrics.histogram({
      name: 'scheduler_framework_extension_point_duration_seconds',
      help: 'Latency for running all plugins of a specific extension point.',
      labels: ['extension_point', 'status', 'profile'],
      buckets: Array.from({ length: 12 }, (_, i) => 0.0001 * 2 ** i),
    });
  }

  /** What `run` gives. Anything but a status is a success, unless `statusOf` knows better. */
  time<T>(point: TimedPoint, run: () => T, statusOf: (result: T) => unknown = (result) => result): T {
    const start = this.#clock.monotonic();
    const result = run();
    this.#observe(point, statusOf(result), start);
    return result;
  }

  async timeAsync<T>(
    point: TimedPoint,
    run: () => Promise<T>,
    statusOf: (result: T) => unknown = (result) => result,
  ): Promise<T> {
    const start = this.#clock.monotonic();
    const result = await run();
    this.#observe(point, statusOf(result), start);
    return result;
  }

  #observe(point: TimedPoint, status: unknown, start: number): void {
    const code = status instanceof Status ? status.code : 'Success';
    this.#duration.observe((this.#clock.monotonic() - start) / 1000, point, code, this.#profile);
  }
}
