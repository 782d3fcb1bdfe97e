/** One minute's measures. Sizes are in bytes. */
export interface Sample {
  readonly minute: number;
  /** After a full collection; absent in minutes without one. */
  readonly heap?: number;
  /** Buffers outside of the JavaScript heap, after a full collection; absent in minutes without one. */
  readonly external?: number;
  readonly rss: number;
  readonly rssAnon: number;
  readonly rssFile: number;
  readonly fileDescriptors: number;
  readonly metricsBytes: number;
}

type Measure = Exclude<keyof Sample, 'minute'>;

/** What must not rise. Pages of files are told and not judged: the kernel caches the mapped store in them. */
const judged: readonly Measure[] = ['heap', 'external', 'rss', 'rssAnon', 'fileDescriptors', 'metricsBytes'];

/** How one measure went after the warm-up. */
export interface Trend {
  readonly measure: Measure;
  /** Lower quartiles of the first and the last third of the time. */
  readonly early: number;
  readonly late: number;
  /** Over the whole time after the warm-up, as a share of `early`: 0.01 is one percent. */
  readonly rise: number;
  readonly ok: boolean;
}

/** Files are few: one more is no trend. */
const slack: Partial<Record<Measure, number>> = { fileDescriptors: 1 };

/**
 * Judges the samples from `fromMinute` on. Lower quartiles of thirds are compared rather than single points: the heap and RSS go
 * up and down with each collection, and what is under way when a sample is taken only adds to what is held.
 */
export function trendsOf(samples: readonly Sample[], fromMinute: number, mostRise = 0.01): Trend[] {
  const after = samples.filter(({ minute }) => minute >= fromMinute);
  return judged.flatMap((measure) => {
    const values = after.map((sample) => sample[measure]).filter((value) => value !== undefined);
    const third = Math.floor(values.length / 3);
    if (third === 0) return [];
    const [early, late] = [lowerQuartile(values.slice(0, third)), lowerQuartile(values.slice(-third))];
    // The middles of the thirds are two thirds of the time apart.
    const rise = ((late - early) / early) * 1.5;
    return [{ measure, early, late, rise, ok: rise < mostRise || late - early <= (slack[measure] ?? 0) }];
  });
}

export function lowerQuartile(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 4)] ?? 0;
}

/** A line for each measure. */
export function formatTrends(trends: readonly Trend[]): string {
  return trends
    .map(({ measure, early, late, rise, ok }) => {
      const show = (value: number): string =>
        measure === 'fileDescriptors' ? String(value) : `${(value / 2 ** 20).toFixed(2)} MiB`;
      const percent = `${rise < 0 ? '' : '+'}${(rise * 100).toFixed(2)} %`;
      return `${measure.padEnd(16)}${show(early).padStart(12)} → ${show(late).padStart(12)}${percent.padStart(11)}${ok ? '' : '  BAD'}\n`;
    })
    .join('');
}
