import type { SuccessPolicy } from '@coxswain/api/batch/v1';
import { IndexIntervals } from './index-intervals.ts';

/** Returns a message with the first rule that the succeeded indexes meet, or undefined when none is met. */
export function metSuccessPolicy(
  policy: SuccessPolicy | undefined,
  completions: number,
  succeeded: IndexIntervals,
): string | undefined {
  if (succeeded.size === 0) return undefined;
  const met = policy?.rules.findIndex(({ succeededIndexes, succeededCount }) => {
    const enough = succeededCount ?? Number.POSITIVE_INFINITY;
    if (succeededIndexes === undefined) return succeeded.size >= enough;
    const required = IndexIntervals.parse(succeededIndexes, completions);
    if (required.size === 0) return false;
    const reached = required.commonWith(succeeded);
    return reached === required.size || reached >= enough;
  });
  return met === undefined || met < 0 ? undefined : `Matched rules at index ${met}`;
}
