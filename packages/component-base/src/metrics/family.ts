/** More children than this of one family are a mistake: labels that clients can make up. */
const maxChildren = 10_000;

/** One line of the text format: what stands after the family's name, the labels, and the number. */
export interface Sample {
  readonly suffix: string;
  readonly labels: string;
  readonly value: number;
}

/** A metric as it is scraped. */
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
 * Metrics of one name, a child for each combination of labels. Whoever records often gets its child once and keeps it:
 * recording is then a few additions, and all else is left to the scrape.
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
   * The child with these values, in the order in which the labels were named. One too many is not scraped; it can be
   * used like any other.
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

  /** Forgets the child with these values. */
  delete(...values: string[]): void {
    this.#children.delete(values.join('\0'));
  }

  /**
   * Forgets the children whose values of these labels are gone: those of something that was deleted. A family without one of the
   * labels keeps all. Whoever holds a child can use it on; it is not scraped any more.
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
    // What has no labels is always there, with others it depends on what happened.
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
    // In the order of their names, as upstream prints them.
    return pairs.sort().join(',');
  }
}

/** A number that goes up. */
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

/** A number that goes up and down, and that a reset leaves alone: what it counts is still there. */
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

/** How many observations there were up to each bound. */
export class Histogram implements Child {
  readonly #bounds: readonly number[];
  /** By bucket, the last for what is above all bounds; not yet added up. */
  readonly #counts: Float64Array;
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  /** `times`: as if it had been observed so often. */
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

/** A number as Go prints it: with an exponent from a million on, `1e+06`. */
export function goFloat(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
  const [mantissa = '', exponentText = '0'] = value.toExponential().split('e');
  const exponent = Number(exponentText);
  if (value === 0 || (exponent >= -4 && exponent < 6)) return String(value);
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}
