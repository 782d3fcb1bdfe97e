import type { Clock, Histogram, Metrics } from '@coxswain/client';
import { Status } from './status.ts';

/** The extension points as named in metrics. */
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

/** Records how long the plug-ins of a profile take at each extension point, and the resulting status. */
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

  /** Returns the result of `run`. Unless `statusOf` returns a Status, it counts as success. */
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
