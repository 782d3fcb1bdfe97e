import type { ResourceSlice } from '@coxswain/api/resource/v1';

/** The slices of a pool that count: those of the latest generation. */
export function currentSlices(slices: readonly ResourceSlice[]): ResourceSlice[] {
  let latest: number | undefined;
  for (const { spec } of slices) {
    const { generation } = spec.pool;
    if (latest === undefined || generation > latest) latest = generation;
  }
  return slices.filter(({ spec }) => spec.pool.generation === latest);
}
