/** The measures of one minute. Sizes are in bytes. */
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

/** The measures that must not rise. Pages of files are only reported: the kernel caches the mapped store in them. */
const judged: readonly Measure[] = ['heap', 'external', 'rss', 'rssAnon', 'fileDescriptors', 'metricsBytes'];

/** The trend of one measure after the warm-up. */
export interface Trend {
  readonly measure: Measure;
  /** The lower quartiles of the first and the last third of the time. */
  readonly early: number;
  readonly late: number;
  /** The rise over the whole time after the warm-up, as a share of `early`: 0.01 is one percent. */
  readonly rise: number;
  readonly ok: boolean;
}

/** The number of files is small, so one more is not a trend. */
const slack: Partial<Record<Measure, number>> = { fileDescriptors: 1 };

/**
 * Judges the samples from `fromMinute` on. It compares lower quartiles of thirds instead of single points: the heap and RSS vary with each
 * collection, and work in progress at the time of a sample only adds to the memory that is kept.
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

/** Returns a line for each measure. */
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
