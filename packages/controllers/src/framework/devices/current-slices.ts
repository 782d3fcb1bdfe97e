import type { ResourceSlice } from '@coxswain/api/resource/v1';

/** Returns the slices with the pool's highest generation. The others are outdated. */
export function currentSlices(slices: readonly ResourceSlice[]): ResourceSlice[] {
  let latest: number | undefined;
  for (const { spec } of slices) {
    const { generation } = spec.pool;
    if (latest === undefined || generation > latest) latest = generation;
  }
  return slices.filter(({ spec }) => spec.pool.generation === latest);
}
