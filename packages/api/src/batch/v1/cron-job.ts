import {
  type ErrorList,
  invalid,
  isLongerThan,
  notSupported,
  Path,
  required,
  semanticEqual,
  validateNonnegativeField,
} from '@coxswain/apimachinery';
import { messageOf } from '@coxswain/apimachinery/errors';
import { podNameWarnings } from '../../apps/v1/pod-template-hooks.ts';
import { sameWorkloadSpec } from '../../apps/v1/same-spec.ts';
import { printableSelector } from '../../apps/v1/selector.ts';
import {
  dropDisabledTemplateFields,
  type PodValidationOptions,
  podTemplateValidationOptions,
  requiredSupported,
} from '../../core/v1/pod/index.ts';
import type { CronJob, CronJobSpec, JobSpec, JobTemplateSpec } from '../../generated/batch/v1.ts';
import type { Strategy, StrategyContext } from '../../strategy/strategy.ts';
import { parseCronSchedule } from './cron-schedule.ts';
import { jobSpecWarnings } from './job.ts';
import { validateJobSpec } from './job-spec.ts';
import { cronJobTable } from './tables.ts';
import { loadTimeZone } from './time-zone.ts';

const path = Path.of('spec');
const jobPath = path.child('jobTemplate', 'spec');

/** The names of Jobs have a suffix of eleven characters, and are used as label values. */
const maxNameLength = 52;

const noSpec: JobSpec = { template: {} };
const jobSpecOf = ({ spec }: CronJob): JobSpec => spec.jobTemplate.spec ?? noSpec;

/** A time zone in the schedule was once allowed, and is kept on update. */
function validateSchedule({ schedule, timeZone }: CronJobSpec, old: CronJobSpec | undefined): ErrorList {
  const at = path.child('schedule');
  if (!schedule) return [required(at)];
  const errors: ErrorList = [];
  try {
    parseCronSchedule(schedule);
  } catch (error) {
    errors.push(invalid(at, schedule, messageOf(error)));
  }
  if (!schedule.includes('TZ')) return errors;
  if (!old?.schedule.includes('TZ'))
    errors.push(invalid(at, schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'));
  else if (timeZone !== undefined)
    errors.push(invalid(at, schedule, 'cannot use both timeZone field and TZ or CRON_TZ in schedule'));
  return errors;
}

const timeZonePart = /^(?!-|\.{1,2}$)[A-Za-z.\-_0-9+]{1,14}$/;

function validateTimeZone(timeZone: string | undefined): ErrorList {
  const at = path.child('timeZone');
  if (timeZone === undefined) return [];
  if (timeZone === '') return [invalid(at, timeZone, 'timeZone must be nil or non-empty string')];
  if (!timeZone.split('/').every((part) => timeZonePart.test(part)))
    return [invalid(at, timeZone, `unknown time zone ${timeZone}`)];
  const errors: ErrorList = [];
  if (timeZone.toLowerCase() === 'local') {
    const detail = 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';
    errors.push(invalid(at, timeZone, detail));
  }
  try {
    loadTimeZone(timeZone);
  } catch (error) {
    errors.push(invalid(at, timeZone, messageOf(error)));
  }
  return errors;
}

/** Validates the Job template. It must not have a selector: each Job's selector is generated. */
function validateJobTemplate({ spec = noSpec }: JobTemplateSpec, options: PodValidationOptions): ErrorList {
  const errors = validateJobSpec(spec, jobPath, options);
  if (spec.selector)
    errors.push(
      invalid(jobPath.child('selector'), printableSelector(spec.selector), '`selector` will be auto-generated'),
    );
  if (spec.manualSelector) errors.push(notSupported(jobPath.child('manualSelector'), true, ['nil', 'false']));
  return errors;
}

function validateSpec(cronJob: CronJob, old: CronJob | undefined, context: StrategyContext): ErrorList {
  const { spec } = cronJob;
  const options = podTemplateValidationOptions(context, old && jobSpecOf(old).template);
  return [
    ...validateSchedule(spec, old?.spec),
    ...validateNonnegativeField(spec.startingDeadlineSeconds, path.child('startingDeadlineSeconds')),
    ...(old && old.spec.timeZone === spec.timeZone ? [] : validateTimeZone(spec.timeZone)),
    ...requiredSupported(path.child('concurrencyPolicy'), spec.concurrencyPolicy, ['Allow', 'Forbid', 'Replace']),
    ...validateJobTemplate(spec.jobTemplate, options),
    ...validateNonnegativeField(spec.successfulJobsHistoryLimit, path.child('successfulJobsHistoryLimit')),
    ...validateNonnegativeField(spec.failedJobsHistoryLimit, path.child('failedJobsHistoryLimit')),
  ];
}

function validateNameLength({ metadata: { name = '' } }: CronJob): ErrorList {
  const detail = `must be no more than ${maxNameLength} characters`;
  return isLongerThan(name, maxNameLength) ? [invalid(Path.of('metadata', 'name'), name, detail)] : [];
}

const warnings = (cronJob: CronJob, { features }: StrategyContext): string[] =>
  jobSpecWarnings(jobSpecOf(cronJob), jobPath, features);

export const cronJobStrategy: Strategy<CronJob> = {
  generation: ({ spec: { jobTemplate, ...rest } }, old) => {
    const { jobTemplate: oldTemplate, ...oldRest } = old.spec;
    return !(
      semanticEqual(rest, oldRest) &&
      semanticEqual(jobTemplate.metadata ?? {}, oldTemplate.metadata ?? {}) &&
      sameWorkloadSpec(jobTemplate.spec ?? noSpec, oldTemplate.spec ?? noSpec)
    );
  },
  prepareForCreate(cronJob, { features }) {
    dropDisabledTemplateFields(jobSpecOf(cronJob).template, undefined, features);
  },
  prepareForUpdate(cronJob, old, { features }) {
    dropDisabledTemplateFields(jobSpecOf(cronJob).template, jobSpecOf(old).template, features);
  },
  validate: (cronJob, context) => [...validateSpec(cronJob, undefined, context), ...validateNameLength(cronJob)],
  // The length of the name is not checked, because older objects may have longer ones.
  validateUpdate: validateSpec,
  warningsOnCreate: (cronJob, context) => [...podNameWarnings(cronJob), ...warnings(cronJob, context)],
  warningsOnUpdate(cronJob, old, context) {
    const isSame = cronJob.metadata.generation === old.metadata.generation;
    return [
      ...(isSame ? [] : warnings(cronJob, context)),
      ...(cronJob.spec.schedule.includes('TZ')
        ? [
            'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details',
          ]
        : []),
    ];
  },
  subresources: { status: { owns: ['status'], validatesMetadataUpdate: true } },
  table: cronJobTable,
};
