import { labels } from '@coxswain/apimachinery';
import { containerCells } from '../../apps/v1/tables.ts';
import type { CronJob, Job, JobSpec } from '../../generated/batch/v1.ts';
import { humanDuration, translateTimestampSince } from '../../strategy/print.ts';
import { columns, type PrintContext, type TablePrinter } from '../../strategy/table.ts';

const wideColumns = ['Containers (wide)', 'Images (wide)', 'Selector (wide)'];
const wideCells = (spec: JobSpec | undefined): string[] => [
  ...containerCells(spec?.template),
  labels.formatLabelSelector(spec?.selector),
];

function jobState({ metadata, status }: Job): string {
  // Of several conditions of the same type, the first counts.
  const has = (type: string): boolean =>
    status?.conditions?.find((condition) => condition.type === type)?.status === 'True';
  const ended = ['Complete', 'Failed'].find(has);
  if (ended) return ended;
  if (metadata.deletionTimestamp) return 'Terminating';
  return ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find(has) ?? 'Running';
}

function jobCompletions({ spec, status }: Job): string {
  const { completions, parallelism = 0 } = spec ?? {};
  const succeeded = status?.succeeded ?? 0;
  if (completions !== undefined) return `${succeeded}/${completions}`;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function jobDuration({ status }: Job, { now }: PrintContext): string {
  if (status?.startTime === undefined) return '';
  const end = status.completionTime === undefined ? now.getTime() : Date.parse(status.completionTime);
  return humanDuration(end - Date.parse(status.startTime));
}

export const jobTable: TablePrinter<Job> = {
  columns: columns('Name', 'Status', 'Completions', 'Duration', 'Age', ...wideColumns),
  row: (job, context) => [
    job.metadata.name ?? '',
    jobState(job),
    jobCompletions(job),
    jobDuration(job, context),
    translateTimestampSince(job.metadata.creationTimestamp, context),
    ...wideCells(job.spec),
  ],
};

const suspendCell = (suspend: boolean | undefined): string =>
  suspend === undefined ? '<unset>' : suspend ? 'True' : 'False';

export const cronJobTable: TablePrinter<CronJob> = {
  columns: columns(
    'Name',
    'Schedule',
    'Timezone',
    'Suspend:boolean',
    'Active:integer',
    'Last Schedule',
    'Age',
    ...wideColumns,
  ),
  row: ({ metadata, spec, status }, context) => [
    metadata.name ?? '',
    spec.schedule,
    spec.timeZone ?? '<none>',
    suspendCell(spec.suspend),
    status?.active?.length ?? 0,
    status?.lastScheduleTime === undefined ? '<none>' : translateTimestampSince(status.lastScheduleTime, context),
    translateTimestampSince(metadata.creationTimestamp, context),
    ...wideCells(spec.jobTemplate.spec),
  ],
};
