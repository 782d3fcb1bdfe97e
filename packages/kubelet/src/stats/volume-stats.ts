import { timeFromDate } from '@coxswain/apimachinery/time';
import type { VolumeStats as MountedVolumeStats } from '../volumes/volume-stats.ts';
import type { VolumeStats } from './summary.ts';

/** The figures of a mounted volume, for the summary. */
export const volumeStats = ({ timeMs, claim, ...stats }: MountedVolumeStats): VolumeStats => ({
  ...stats,
  time: timeFromDate(new Date(timeMs)),
  ...(claim && { pvcRef: claim }),
});
