import { Family, type FamilyOptions, Histogram, type Sample } from '../metrics/index.ts';

/**
 * A histogram of how many nanoseconds a ratio spent in each bucket: upstream's "observations at the end of every nanosecond".
 * The time since the last change is added on the next change or scrape.
 */
export class TimingHistogram {
  readonly #histogram: Histogram;
  readonly #now: () => number;
  #numerator = 0;
  #denominator = 1;
  #since: number;

  constructor(buckets: readonly number[], now: () => number) {
    this.#histogram = new Histogram(buckets);
    this.#now = now;
    this.#since = now();
  }

  set(numerator: number, now: number): void {
    if (now > this.#since) this.#count(now);
    this.#numerator = numerator;
  }

  setDenominator(denominator: number, now: number): void {
    if (now > this.#since) this.#count(now);
    this.#denominator = denominator;
  }

  samples(labels: string): Iterable<Sample> {
    this.#count(this.#now());
    return this.#histogram.samples(labels);
  }

  reset(): void {
    this.#histogram.reset();
  }

  #count(now: number): void {
    this.#histogram.observe(this.#numerator / this.#denominator, Math.round((now - this.#since) * 1e6));
    this.#since = now;
  }
}

export class TimingHistogramFamily extends Family<TimingHistogram> {
  readonly type = 'histogram';
  readonly #buckets: readonly number[];
  readonly #now: () => number;

  constructor(options: FamilyOptions & { readonly buckets: readonly number[] }, now: () => number) {
    super(options);
    this.#buckets = options.buckets;
    this.#now = now;
  }

  protected newChild(): TimingHistogram {
    return new TimingHistogram(this.#buckets, this.#now);
  }
}
