/** Limit on the children of a family. More indicate a bug: a label whose values clients can choose. */
const maxChildren = 10_000;

/** One line of the text format: the suffix of the family's name, the labels, and the value. */
export interface Sample {
  readonly suffix: string;
  readonly labels: string;
  readonly value: number;
}

/** A metric that can be scraped. */
export interface Collectable {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  samples(): Iterable<Sample>;
  reset(): void;
}

export interface FamilyOptions {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
}

interface Child {
  samples(labels: string): Iterable<Sample>;
  reset(): void;
}

const escaped = (value: string): string =>
  value.replace(/[\\"\n]/g, (found) => (found === '\n' ? '\\n' : `\\${found}`));

/**
 * The metrics of one name, with one child per combination of label values. Callers that record often should look up their child once and
 * keep it: recording is then only a few additions, and everything else happens in the scrape.
 */
export abstract class Family<T extends Child> implements Collectable {
  readonly name: string;
  readonly help: string;
  abstract readonly type: Collectable['type'];
  readonly #labels: readonly string[];
  readonly #children = new Map<string, T>();

  constructor({ name, help, labels = [] }: FamilyOptions) {
    this.name = name;
    this.help = help;
    this.#labels = labels;
  }

  protected abstract newChild(): T;

  /**
   * Returns the child with these label values, in the order in which the labels were declared. A child beyond the limit works as usual but
   * is not scraped.
   */
  with(...values: string[]): T {
    const key = values.join('\0');
    let child = this.#children.get(key);
    if (!child) {
      child = this.newChild();
      if (this.#children.size < maxChildren) this.#children.set(key, child);
    }
    return child;
  }

  /** Removes the child with these label values. */
  delete(...values: string[]): void {
    this.#children.delete(values.join('\0'));
  }

  /**
   * Removes the children whose values of these labels belong to something deleted, according to `isGone`. Does nothing for a family without
   * one of the labels. A removed child can still be used but is not scraped.
   */
  forget(labels: readonly string[], isGone: (...values: string[]) => boolean): void {
    const places = labels.map((name) => this.#labels.indexOf(name));
    if (places.includes(-1)) return;
    for (const key of this.#children.keys()) {
      const values = key.split('\0');
      if (isGone(...places.map((place) => values[place] ?? ''))) this.#children.delete(key);
    }
  }

  *samples(): Iterable<Sample> {
    // A family without labels always has its one sample. Others have samples only for recorded label values.
    if (this.#labels.length === 0) this.with();
    const entries = [...this.#children].map(([key, child]) => [this.#print(key), child] as const);
    for (const [labels, child] of entries.sort(([a], [b]) => (a < b ? -1 : 1))) yield* child.samples(labels);
  }

  reset(): void {
    for (const child of this.#children.values()) child.reset();
  }

  #print(key: string): string {
    if (this.#labels.length === 0) return '';
    const values = key.split('\0');
    const pairs = this.#labels.map((name, index) => `${name}="${escaped(values[index] ?? '')}"`);
    // Sorted by label name, as upstream prints them.
    return pairs.sort().join(',');
  }
}

/** A number that only goes up. */
export class Counter implements Child {
  value = 0;

  inc(by = 1): void {
    this.value += by;
  }

  samples(labels: string): Sample[] {
    return [{ suffix: '', labels, value: this.value }];
  }

  reset(): void {
    this.value = 0;
  }
}

/** A number that goes up and down. `reset` does not change it, since it describes a current state. */
export class Gauge implements Child {
  value = 0;

  set(value: number): void {
    this.value = value;
  }

  inc(): void {
    this.value++;
  }

  dec(): void {
    this.value--;
  }

  samples(labels: string): Sample[] {
    return [{ suffix: '', labels, value: this.value }];
  }

  reset(): void {}
}

/** Counts observations by upper bound. */
export class Histogram implements Child {
  readonly #bounds: readonly number[];
  /** Per bucket, not cumulative. The last bucket is for values above all bounds. */
  readonly #counts: Float64Array;
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  /** `times` counts the value as several observations. */
  observe(value: number, times = 1): void {
    let bucket = 0;
    while (bucket < this.#bounds.length && value > this.#bounds[bucket]!) bucket++;
    this.#counts[bucket]! += times;
    this.#sum += value * times;
  }

  *samples(labels: string): Iterable<Sample> {
    const before = labels === '' ? '' : `${labels},`;
    let count = 0;
    for (const [index, inBucket] of this.#counts.entries()) {
      count += inBucket;
      const bound = this.#bounds[index];
      const le = bound === undefined ? '+Inf' : goFloat(bound);
      yield { suffix: '_bucket', labels: `${before}le="${le}"`, value: count };
    }
    yield { suffix: '_sum', labels, value: this.#sum };
    yield { suffix: '_count', labels, value: count };
  }

  reset(): void {
    this.#counts.fill(0);
    this.#sum = 0;
  }
}

export class CounterFamily extends Family<Counter> {
  readonly type = 'counter';

  protected newChild(): Counter {
    return new Counter();
  }
}

export class GaugeFamily extends Family<Gauge> {
  readonly type = 'gauge';

  protected newChild(): Gauge {
    return new Gauge();
  }
}

export class HistogramFamily extends Family<Histogram> {
  readonly type = 'histogram';
  readonly #bounds: readonly number[];

  constructor(options: FamilyOptions & { readonly buckets: readonly number[] }) {
    super(options);
    this.#bounds = options.buckets;
  }

  protected newChild(): Histogram {
    return new Histogram(this.#bounds);
  }
}

/** Formats a number as Go does: with an exponent from a million on, `1e+06`. */
export function goFloat(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
  const [mantissa = '', exponentText = '0'] = value.toExponential().split('e');
  const exponent = Number(exponentText);
  if (value === 0 || (exponent >= -4 && exponent < 6)) return String(value);
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}
