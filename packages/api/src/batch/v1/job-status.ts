import {
  duplicate,
  type ErrorList,
  type FieldError,
  invalid,
  omittedValue,
  Path,
  required,
  semanticEqual,
  validateNonnegativeField,
} from '@coxswain/apimachinery';
import type { WithSpec } from '../../apps/v1/with-spec.ts';
import type { Job as APIJob, JobStatus, UncountedTerminatedPods } from '../../generated/batch/v1.ts';
import { internalForm } from './internal-form.ts';
import { countIndexes, firstCommonIndex } from './job-indexes.ts';
import { hasTrueCondition } from './job-validation.ts';

type Job = WithSpec<APIJob>;

const path = Path.of('status');
const conditionsPath = path.child('conditions');
const aboutConditions = (detail: string): FieldError => invalid(conditionsPath, omittedValue, detail);

const counters = ['active', 'succeeded', 'failed', 'ready', 'terminating'] as const;
const conditionTypes = ['Complete', 'Failed', 'FailureTarget', 'SuccessCriteriaMet'] as const;

/** Which conditions of a Job are true; finished: Complete or Failed. */
type Conditions = Readonly<Record<(typeof conditionTypes)[number] | 'finished', boolean>>;

function conditionsOf(status: JobStatus | undefined): Conditions {
  const [Complete, Failed, FailureTarget, SuccessCriteriaMet] = conditionTypes.map((type) =>
    hasTrueCondition(status, type),
  ) as [boolean, boolean, boolean, boolean];
  return { Complete, Failed, FailureTarget, SuccessCriteriaMet, finished: Complete || Failed };
}

/** Validates uncountedTerminatedPods: no pod may be listed twice, across both lists. */
function validateUncounted(pods: UncountedTerminatedPods | undefined, at: Path): ErrorList {
  const seen = new Set<string>();
  return (['succeeded', 'failed'] as const).flatMap((list) =>
    (pods?.[list] ?? []).flatMap((uid, i) => {
      const item = at.child(list).index(i);
      if (uid === '') return [invalid(item, uid, 'must not be empty')];
      if (seen.has(uid)) return [duplicate(item, uid)];
      seen.add(uid);
      return [];
    }),
  );
}

/** An error that is reported only if `applies`: in most rules, when one of the fields involved has changed. */
type Rule = readonly [applies: boolean, error: FieldError | false | undefined];

/**
 * Validates a status and its change. Errors in unchanged fields are tolerated, because older servers accepted them from
 * other Job controllers.
 */
export function validateJobStatusUpdate(job: Job, old: Job): ErrorList {
  const status = job.status ?? {};
  const oldStatus = old.status ?? {};
  const { completions, parallelism, completionMode = 'NonIndexed', backoffLimitPerIndex, suspend } = job.spec;
  const {
    active = 0,
    completedIndexes = '',
    failedIndexes,
    startTime,
    completionTime,
    uncountedTerminatedPods,
  } = status;
  const is = conditionsOf(status);
  const was = conditionsOf(oldStatus);

  const changed = (field: keyof JobStatus): boolean => !semanticEqual(status[field], oldStatus[field]);
  const turned = (condition: keyof Conditions): boolean => is[condition] !== was[condition];
  const completedChanged = completedIndexes !== (oldStatus.completedIndexes ?? '');
  const failedChanged = changed('failedIndexes');
  const activeChanged = active !== (oldStatus.active ?? 0);
  const isIndexed = completionMode === 'Indexed';
  const isResuming =
    hasTrueCondition(oldStatus, 'Suspended') &&
    (status.conditions ?? []).some((condition) => condition.type === 'Suspended' && condition.status === 'False');
  const hasNoWork = suspend === true && completions === 0;
  const uncountedPods =
    (uncountedTerminatedPods?.failed ?? []).length + (uncountedTerminatedPods?.succeeded ?? []).length;
  const completionPath = path.child('completionTime');
  const isBefore = (a: string, b: string): boolean => Date.parse(a) < Date.parse(b);

  const rules: Rule[] = [
    [
      turned('Complete') || turned('Failed'),
      is.Complete && is.Failed && aboutConditions('cannot set Complete=True and Failed=true conditions'),
    ],
    [
      turned('Complete') || turned('FailureTarget'),
      is.Complete && is.FailureTarget && aboutConditions('cannot set Complete=True and FailureTarget=true conditions'),
    ],
    [
      turned('Complete') || changed('completionTime'),
      completionTime !== undefined &&
        !is.Complete &&
        invalid(completionPath, completionTime, 'cannot set completionTime when there is no Complete=True condition'),
    ],
    [
      turned('Complete') || changed('completionTime'),
      completionTime === undefined &&
        is.Complete &&
        required(completionPath, 'completionTime is required for Complete jobs'),
    ],
    [
      changed('startTime') || changed('completionTime'),
      startTime !== undefined &&
        completionTime !== undefined &&
        isBefore(completionTime, startTime) &&
        invalid(completionPath, completionTime, 'must be equal to or after `startTime`'),
    ],
    [
      turned('Failed') || failedChanged,
      is.Failed &&
        !is.FailureTarget &&
        aboutConditions('cannot set Failed=True condition without the FailureTarget=true condition'),
    ],
    [
      turned('Complete') || turned('SuccessCriteriaMet'),
      is.Complete &&
        !is.SuccessCriteriaMet &&
        aboutConditions('cannot set Complete=True condition without the SuccessCriteriaMet=true condition'),
    ],
    [
      turned('finished') || activeChanged,
      active > 0 && is.finished && invalid(path.child('active'), active, 'active>0 is invalid for finished job'),
    ],
    [
      (turned('finished') || changed('startTime')) && !hasNoWork,
      startTime === undefined &&
        is.finished &&
        required(path.child('startTime'), 'startTime is required for finished job'),
    ],
    [
      turned('finished') || changed('uncountedTerminatedPods'),
      is.finished &&
        uncountedTerminatedPods !== undefined &&
        uncountedPods > 0 &&
        invalid(
          path.child('uncountedTerminatedPods'),
          internalForm('UncountedTerminatedPods', uncountedTerminatedPods),
          'must be empty for finished job',
        ),
    ],
    [completedChanged, completions !== undefined && unreadable('completedIndexes', completedIndexes, completions)],
    [
      failedChanged,
      completions !== undefined &&
        backoffLimitPerIndex !== undefined &&
        failedIndexes !== undefined &&
        unreadable('failedIndexes', failedIndexes, completions),
    ],
    [
      completedChanged,
      completedIndexes !== '' &&
        !isIndexed &&
        invalid(
          path.child('completedIndexes'),
          completedIndexes,
          'cannot set non-empty completedIndexes when non-indexed completion mode',
        ),
    ],
    [
      failedChanged,
      backoffLimitPerIndex === undefined &&
        failedIndexes !== undefined &&
        invalid(
          path.child('failedIndexes'),
          failedIndexes,
          'cannot set non-null failedIndexes when backoffLimitPerIndex is null',
        ),
    ],
    [
      failedChanged || completedChanged,
      completions !== undefined &&
        failedIndexes !== undefined &&
        overlapping(completedIndexes, failedIndexes, completions),
    ],
    [
      turned('finished') || changed('terminating'),
      (status.terminating ?? 0) > 0 &&
        is.finished &&
        invalid(path.child('terminating'), status.terminating, 'terminating>0 is invalid for finished job'),
    ],
    [
      changed('ready') || activeChanged,
      (status.ready ?? 0) > active &&
        status.ready !== undefined &&
        invalid(path.child('ready'), status.ready, 'cannot set more ready pods than active'),
    ],
    [
      is.SuccessCriteriaMet,
      is.Failed && aboutConditions('cannot set SuccessCriteriaMet=True and Failed=true conditions'),
    ],
    [
      is.SuccessCriteriaMet,
      is.FailureTarget && aboutConditions('cannot set SuccessCriteriaMet=True and FailureTarget=true conditions'),
    ],
    [
      job.spec.successPolicy !== undefined,
      !is.SuccessCriteriaMet &&
        is.Complete &&
        aboutConditions('cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True'),
    ],
    ...(['Failed', 'Complete', 'FailureTarget'] as const).map(
      (type): Rule => [was[type] && !is[type], aboutConditions(`cannot disable the terminal ${type}=True condition`)],
    ),
    [true, decreased('failed', status, oldStatus)],
    // Resizing an indexed Job removes the indexes beyond its new end, so the counter may decrease.
    [!isIndexed || completions !== parallelism, decreased('succeeded', status, oldStatus)],
    [
      completionTime !== undefined && oldStatus.completionTime !== undefined,
      changed('completionTime') && invalid(completionPath, completionTime, 'field is immutable'),
    ],
    [
      oldStatus.startTime !== undefined && !suspend && !isResuming,
      changed('startTime') &&
        invalid(path.child('startTime'), startTime, 'field is immutable for unsuspended job once set'),
    ],
    [
      was.SuccessCriteriaMet && !is.SuccessCriteriaMet,
      aboutConditions('cannot disable the SuccessCriteriaMet=True condition'),
    ],
    [
      was.Complete && !was.SuccessCriteriaMet && is.SuccessCriteriaMet,
      aboutConditions('cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions'),
    ],
  ];
  return [
    ...counters.flatMap((counter) => validateNonnegativeField(status[counter], path.child(counter))),
    ...validateUncounted(uncountedTerminatedPods, path.child('uncountedTerminatedPods')),
    ...rules.flatMap(([applies, error]) => (applies && error ? [error] : [])),
  ];
}

function unreadable(field: string, indexes: string, completions: number): FieldError | undefined {
  try {
    countIndexes(indexes, completions);
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    return invalid(path.child(field), indexes, `error parsing ${field}: ${reason}`);
  }
}

function overlapping(completed: string, failed: string, completions: number): FieldError | undefined {
  const index = firstCommonIndex(completed, failed, completions);
  if (index === undefined) return undefined;
  const detail = `failedIndexes and completedIndexes overlap at index: ${index}`;
  return invalid(path.child('failedIndexes'), failed, detail);
}

function decreased(counter: 'failed' | 'succeeded', status: JobStatus, old: JobStatus): FieldError | undefined {
  const value = status[counter] ?? 0;
  if (value >= (old[counter] ?? 0)) return undefined;
  return invalid(path.child(counter), value, `cannot decrease the ${counter} counter`);
}
