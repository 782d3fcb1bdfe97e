import type { Pod } from '@coxswain/api/core/v1';

export const priorityOf = ({ spec }: Pod): number => spec?.priority ?? 0;

/** Sorts after every time: a pod that has not started yet is the youngest. */
const notStarted = '~';

/** Returns the start time as a string that sorts chronologically. */
export const startTimeOf = ({ status }: Pod): string => status?.startTime ?? notStarted;

/** Compare function: higher priorities first; among equals, earlier start times first. */
export function byImportance(a: Pod, b: Pod): number {
  const difference = priorityOf(b) - priorityOf(a);
  if (difference !== 0) return difference;
  const [startA, startB] = [startTimeOf(a), startTimeOf(b)];
  if (startA === startB) return 0;
  return startA < startB ? -1 : 1;
}
