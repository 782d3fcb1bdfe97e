import type { Pod } from '@coxswain/api/core/v1';

export const priorityOf = ({ spec }: Pod): number => spec?.priority ?? 0;

/** Later than every time: a pod that has not started yet is the youngest. */
const notStarted = '~';

/** Of a form in which later times are greater strings. */
export const startTimeOf = ({ status }: Pod): string => status?.startTime ?? notStarted;

/** For sorting: pods of higher priority first, and of those the ones that have run the longest. */
export function byImportance(a: Pod, b: Pod): number {
  const difference = priorityOf(b) - priorityOf(a);
  if (difference !== 0) return difference;
  const [startA, startB] = [startTimeOf(a), startTimeOf(b)];
  if (startA === startB) return 0;
  return startA < startB ? -1 : 1;
}
