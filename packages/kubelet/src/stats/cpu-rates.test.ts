import { FakeClock } from '@coxswain/client';
import { describe, expect, it } from 'vitest';
import { CpuRates } from './cpu-rates.ts';

const second = 1_000_000_000n;

describe('the rate of a container', () => {
  const rates = (): CpuRates => new CpuRates(new FakeClock());

  it('needs two samples', () => {
    const all = rates();
    expect(all.nanoCores('a', second, 0)).toBeUndefined();
    expect(all.nanoCores('a', 3n * second, 1e9)).toBe(5e8);
    expect(all.nanoCores('b', 3n * second, 1e9)).toBeUndefined();
  });

  it('stays the same for samples in short succession, so that every scraper gets one', () => {
    const all = rates();
    all.nanoCores('a', second, 0);
    all.nanoCores('a', 11n * second, 1e9);
    expect(all.nanoCores('a', 11n * second, 1e9)).toBe(1e8);
    expect(all.nanoCores('a', 11n * second + 1000n, 2e9)).toBe(1e8);
    expect(all.nanoCores('a', 21n * second, 2e9)).toBe(1e8);
  });

  it('begins again when the counter does', () => {
    const all = rates();
    all.nanoCores('a', second, 5e9);
    expect(all.nanoCores('a', 2n * second, 1e9)).toBeUndefined();
    expect(all.nanoCores('a', 3n * second, 2e9)).toBe(1e9);
  });

  it('is forgotten when nobody has asked for ten minutes', async () => {
    const clock = new FakeClock();
    const all = new CpuRates(clock);
    all.nanoCores('a', second, 0);
    await clock.advance(600_001);
    expect(all.nanoCores('a', 700n * second, 1e9)).toBeUndefined();
  });
});
