import { LruExpireCache } from '@coxswain/apimachinery/cache';
import type { Clock } from '@coxswain/client';

interface Sample {
  readonly timestampNs: bigint;
  readonly usageNs: number;
  /** The rate until this sample; undefined for the first one. */
  readonly nanoCores: number | undefined;
}

/** Containers whose rates are remembered. Nodes have at most some hundreds. */
const maxSamples = 8192;
/** A sample that is older says nothing about now. */
const maxAgeMs = 600_000;
/** Samples of a shorter interval don't replace the last one, so that several scrapers get rates over a meaningful interval. */
const minIntervalNs = 1_000_000_000n;

/** Computes rates of CPU usage from counters: two samples are needed, so there is no rate when a container is first seen. */
export class CpuRates {
  readonly #samples: LruExpireCache<string, Sample>;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#samples = new LruExpireCache(maxSamples, () => new Date(clock.now()));
  }

  /** Returns the rate in billionths of a core, over at least a second. */
  nanoCores(id: string, timestampNs: bigint, usageNs: number): number | undefined {
    const last = this.#samples.get(id);
    if (!last || usageNs < last.usageNs) {
      this.#samples.set(id, { timestampNs, usageNs, nanoCores: undefined }, maxAgeMs);
      return undefined;
    }
    const intervalNs = timestampNs - last.timestampNs;
    if (intervalNs < minIntervalNs) return last.nanoCores;
    const nanoCores = Math.floor(((usageNs - last.usageNs) / Number(intervalNs)) * 1e9);
    this.#samples.set(id, { timestampNs, usageNs, nanoCores }, maxAgeMs);
    return nanoCores;
  }
}
