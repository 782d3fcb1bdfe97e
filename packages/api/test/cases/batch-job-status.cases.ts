import type { Case, CaseSuite } from '../case.ts';

const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'work', image: 'busybox' }] } };
const job = (name: string, spec: object = {}) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name },
  spec: { template, ...spec },
});
const indexedSpec = { completionMode: 'Indexed', completions: 6, parallelism: 2 };

const start = '2026-01-01T00:00:00Z';
const end = '2026-01-01T01:00:00Z';
const on = (...types: string[]) => types.map((type) => ({ type, status: 'True' }));
const off = (...types: string[]) => types.map((type) => ({ type, status: 'False' }));
const done = { startTime: start, completionTime: end, conditions: on('SuccessCriteriaMet', 'Complete') };
const failed = { startTime: start, conditions: on('FailureTarget', 'Failed') };

const becomes = (base: string, status: object): Case => ({
  update: base,
  subresource: 'status',
  change: (j) => {
    j.status = status;
  },
});
const with_ = (base: string, status: object): Case => ({
  update: base,
  subresource: 'status',
  change: (j) => {
    Object.assign(j.status, status);
  },
});

export const suite: CaseSuite = {
  bases: {
    job: { object: job('job') },
    counted: { object: job('counted', { completions: 9 }), status: { startTime: start, failed: 3, succeeded: 2 } },
    suspended: {
      object: job('suspended', { suspend: true }),
      status: { startTime: start, conditions: on('Suspended') },
    },
    resuming: { object: job('resuming'), status: { startTime: start, conditions: on('Suspended') } },
    nothing: { object: job('nothing', { suspend: true, completions: 0 }) },
    done: { object: job('done'), status: done },
    failed: { object: job('failed'), status: failed },
    failing: { object: job('failing'), status: { startTime: start, conditions: on('FailureTarget') } },
    succeeding: { object: job('succeeding'), status: { startTime: start, conditions: on('SuccessCriteriaMet') } },
    indexed: { object: job('indexed', indexedSpec), status: { startTime: start, completedIndexes: '1', succeeded: 1 } },
    resizable: {
      object: job('resizable', { ...indexedSpec, parallelism: 6 }),
      status: { startTime: start, completedIndexes: '1,5', succeeded: 2 },
    },
    perIndex: {
      object: job('perindex', { ...indexedSpec, backoffLimitPerIndex: 1 }),
      status: { startTime: start, completedIndexes: '1', failedIndexes: '2', succeeded: 1 },
    },
    policy: { object: job('policy', { ...indexedSpec, successPolicy: { rules: [{ succeededCount: 1 }] } }) },
  },
  cases: {
    'status is taken over, spec is not': {
      update: 'job',
      subresource: 'status',
      change: (j) => {
        j.status = { active: 1, ready: 1, terminating: 0, startTime: start };
        j.spec.parallelism = 7;
        j.metadata.labels = { a: 'b' };
      },
    },
    'counts are not negative': becomes('job', { active: -1, succeeded: -2, failed: -3, ready: -4, terminating: -5 }),
    'pods are named once': becomes('job', {
      uncountedTerminatedPods: { succeeded: ['a', '', 'a'], failed: ['b', 'a', ''] },
    }),
    'pods that are counted later are kept': becomes('job', {
      uncountedTerminatedPods: { succeeded: ['a'], failed: ['b'] },
    }),
    'no more pods are ready than active': becomes('job', { active: 1, ready: 2 }),

    'a job completes': becomes('job', { ...done, succeeded: 1 }),
    'a job fails': becomes('job', failed),
    'a job completes at a time': becomes('job', { startTime: start, conditions: on('SuccessCriteriaMet', 'Complete') }),
    'a job that completes has started': becomes('job', {
      completionTime: end,
      conditions: on('SuccessCriteriaMet', 'Complete'),
    }),
    'a job that never ran needs no start': becomes('nothing', {
      completionTime: end,
      conditions: on('SuccessCriteriaMet', 'Complete'),
    }),
    'a job that is not complete did not complete at a time': becomes('job', { startTime: start, completionTime: end }),
    'a job does not end before it starts': becomes('job', { ...done, startTime: end, completionTime: start }),
    'a job that completes has met its criteria': becomes('job', { ...done, conditions: on('Complete') }),
    'a job that fails was to fail': becomes('job', { ...failed, conditions: on('Failed') }),
    'a job does not complete and fail': becomes('job', {
      ...done,
      conditions: on('SuccessCriteriaMet', 'Complete', 'FailureTarget', 'Failed'),
    }),
    'a finished job has no pods': becomes('job', {
      ...done,
      active: 2,
      ready: 1,
      terminating: 3,
      uncountedTerminatedPods: { succeeded: ['a'] },
    }),
    'criteria are met or failed': becomes('job', { conditions: on('SuccessCriteriaMet', 'FailureTarget') }),
    'criteria are met or the job failed': becomes('job', {
      startTime: start,
      conditions: on('SuccessCriteriaMet', 'Failed', 'FailureTarget'),
    }),
    'criteria may be met without any': becomes('job', { conditions: on('SuccessCriteriaMet') }),
    'criteria that are set must be met': becomes('policy', { ...done, conditions: on('Complete') }),
    'conditions that are false do not count': becomes('job', { active: 1, conditions: off('Complete', 'Failed') }),

    'a complete job stays complete': with_('done', { conditions: off('Complete') }),
    'a failed job stays failed': with_('failed', { conditions: [] }),
    'a failing job goes on to fail': with_('failing', { conditions: off('FailureTarget') }),
    'criteria stay met': with_('succeeding', { conditions: off('SuccessCriteriaMet') }),
    'a finished job gets no pods': with_('done', { active: 1 }),
    'a finished job gets no dying pods': with_('failed', { terminating: 1 }),
    'a finished job gets no uncounted pods': with_('failed', { uncountedTerminatedPods: { failed: ['a'] } }),
    'the end does not move': with_('done', { completionTime: '2026-01-01T02:00:00Z' }),
    'the end does not go': {
      update: 'done',
      subresource: 'status',
      change: (j) => {
        delete j.status.completionTime;
        delete j.status.startTime;
      },
    },
    'the start does not move': with_('counted', { startTime: end }),
    'the start does not go': becomes('counted', { failed: 3, succeeded: 2 }),
    'a suspended job may start again': with_('suspended', { startTime: end }),
    'a suspended job may have no start': becomes('suspended', { conditions: on('Suspended') }),
    'a job that goes on starts again': becomes('resuming', { startTime: end, conditions: off('Suspended') }),
    'counters do not decrease': with_('counted', { failed: 2, succeeded: 1 }),
    'counters of an indexed job do not decrease': with_('indexed', { succeeded: 0, completedIndexes: '' }),
    'counters of a job that can be resized may': with_('resizable', { succeeded: 1, completedIndexes: '1' }),

    'indexes are of indexed jobs': becomes('job', { completedIndexes: '0', failedIndexes: '0' }),
    'indexes are numbers': with_('perIndex', { completedIndexes: 'x', failedIndexes: 'y' }),
    'indexes are there': with_('perIndex', { completedIndexes: '6', failedIndexes: '4-6' }),
    'indexes are in order': with_('perIndex', { completedIndexes: '3,1', failedIndexes: '5-4' }),
    'indexes succeed or fail': with_('perIndex', { completedIndexes: '1,3-5', failedIndexes: '2,4' }),
    'indexes that cannot be read are left out': with_('perIndex', { completedIndexes: 'x,4', failedIndexes: 'y,2-4' }),
    'indexes that succeed and fail far apart are fine': with_('perIndex', {
      completedIndexes: '0-1,4',
      failedIndexes: '2-3,5',
    }),
    'failed indexes need a limit of their own': with_('indexed', { failedIndexes: '3' }),
    'no failed indexes at all need it too': with_('indexed', { failedIndexes: '' }),
    'metadata is judged first': {
      update: 'job',
      subresource: 'status',
      change: (j) => {
        j.metadata.labels = { 'a b': 'c' };
        j.status = { active: -1 };
      },
    },
  },
};
