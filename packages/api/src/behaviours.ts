import type { GroupVersionBehaviour } from './strategy/strategy.ts';

/** The code of every group version that has any, one folder each. */
export const behaviours: readonly GroupVersionBehaviour[] = [];
