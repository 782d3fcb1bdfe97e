import type { Case, CaseSuite, Change } from '../case.ts';

const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'work', image: 'busybox' }] } };
const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'work' }, spec: { template } };
const indexed = (name: string, spec: object = {}) => ({
  ...job,
  metadata: { name },
  spec: { completionMode: 'Indexed', completions: 5, parallelism: 5, template, ...spec },
});

const create = (change?: Change): Case => ({ create: 'job', ...(change && { change }) });
const spec = (fields: object): Case =>
  create((j) => {
    Object.assign(j.spec, fields);
  });
const indexedSpec = (fields: object): Case => spec({ completionMode: 'Indexed', completions: 5, ...fields });
const failurePolicy = (...rules: unknown[]): Case => spec({ podFailurePolicy: { rules } });
const exitCodes = (onExitCodes: object): Case => failurePolicy({ action: 'FailJob', onExitCodes });
const conditions = (...onPodConditions: object[]): Case => failurePolicy({ action: 'Ignore', onPodConditions });
const successPolicy = (...rules: unknown[]): Case => indexedSpec({ successPolicy: { rules } });
const update = (base: string, change: Change): Case => ({ update: base, change });

const onCode = { action: 'FailJob', onExitCodes: { operator: 'In', values: [1, 42] } };
const nodeAffinity = (value: string) => ({
  requiredDuringSchedulingIgnoredDuringExecution: {
    nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: [value] }] }],
  },
});
const podAffinity = {
  requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector: { matchLabels: { a: 'b' } }, topologyKey: 'zone' }],
};

export const suite: CaseSuite = {
  bases: {
    job: { object: job },
    indexed: {
      object: indexed('indexed', {
        backoffLimitPerIndex: 1,
        maxFailedIndexes: 2,
        podFailurePolicy: { rules: [onCode] },
        successPolicy: { rules: [{ succeededIndexes: '1-3', succeededCount: 2 }] },
        managedBy: 'example.com/own',
      }),
    },
    manual: {
      object: {
        ...job,
        metadata: { name: 'manual' },
        spec: {
          manualSelector: true,
          parallelism: 3,
          selector: { matchLabels: { x: 'y' } },
          template: {
            metadata: { labels: { x: 'y' }, annotations: { n: 'm' } },
            spec: {
              restartPolicy: 'Never',
              containers: [{ name: 'work', image: 'busybox', resources: { requests: { memory: '1Mi' } } }],
            },
          },
        },
      },
    },
    suspended: {
      object: {
        ...job,
        metadata: { name: 'suspended' },
        spec: {
          suspend: true,
          template: {
            spec: {
              ...template.spec,
              initContainers: [{ name: 'first', image: 'busybox' }],
              affinity: { nodeAffinity: nodeAffinity('a'), podAffinity },
            },
          },
        },
      },
    },
    placed: {
      object: {
        ...job,
        metadata: { name: 'placed' },
        spec: {
          suspend: true,
          template: { spec: { ...template.spec, affinity: { nodeAffinity: nodeAffinity('a') } } },
        },
      },
    },
    started: {
      object: { ...job, metadata: { name: 'started' }, spec: { suspend: true, template } },
      status: { startTime: '2026-01-01T00:00:00Z' },
    },
    stopped: {
      object: { ...job, metadata: { name: 'stopped' }, spec: { suspend: true, template } },
      status: { startTime: '2026-01-01T00:00:00Z', conditions: [{ type: 'Suspended', status: 'True' }] },
    },
    running: {
      object: { ...job, metadata: { name: 'running' }, spec: { suspend: true, template } },
      status: { active: 1, conditions: [{ type: 'Suspended', status: 'True' }] },
    },
    done: {
      object: { ...job, metadata: { name: 'done' }, spec: { completions: 2, template } },
      status: {
        succeeded: 2,
        startTime: '2026-01-01T00:00:00Z',
        completionTime: '2026-01-01T00:10:05Z',
        conditions: [
          { type: 'SuccessCriteriaMet', status: 'True' },
          { type: 'Complete', status: 'True' },
        ],
      },
    },
    failed: {
      object: { ...job, metadata: { name: 'failed' }, spec: { template } },
      status: {
        failed: 1,
        startTime: '2026-01-01T00:00:00Z',
        conditions: [
          { type: 'FailureTarget', status: 'True' },
          { type: 'Failed', status: 'True' },
        ],
      },
    },
    failing: {
      object: { ...job, metadata: { name: 'failing' }, spec: { template } },
      status: { conditions: [{ type: 'FailureTarget', status: 'True' }] },
    },
    succeeding: {
      object: { ...job, metadata: { name: 'succeeding' }, spec: { template } },
      status: { conditions: [{ type: 'SuccessCriteriaMet', status: 'True' }] },
    },
  },
  cases: {
    'a job gets its defaults and selects its pods': create(),
    'it shares the labels of its pods': create((j) => {
      j.spec.template = { ...template, metadata: { labels: { b: '2', a: '1' } } };
    }),
    'it keeps its own labels': create((j) => {
      j.metadata.labels = { own: 'x' };
      j.spec.template = { ...template, metadata: { labels: { a: '1' } } };
    }),
    'completions alone run one at a time': spec({ completions: 3 }),
    'parallelism alone makes a queue': spec({ parallelism: 3 }),
    'indexes that fail by themselves need no common limit': indexedSpec({ backoffLimitPerIndex: 1 }),
    'a failure policy replaces pods that have failed': failurePolicy(onCode, {
      action: 'Ignore',
      onPodConditions: [{ type: 'DisruptionTarget' }],
    }),
    'what is set stays': spec({
      completions: 0,
      parallelism: 0,
      activeDeadlineSeconds: 0,
      backoffLimit: 0,
      ttlSecondsAfterFinished: 0,
      suspend: true,
      podReplacementPolicy: 'Failed',
      managedBy: 'example.com/own',
    }),
    'a selector of one’s own': { create: 'manual' },
    'a selector of one’s own is required': spec({ manualSelector: true }),
    'a selector of one’s own selects the pods': create((j) => {
      j.spec.manualSelector = true;
      j.spec.selector = { matchLabels: { z: 'z', a: 'b' } };
    }),
    'a selector of one’s own is well formed': create((j) => {
      j.spec.manualSelector = true;
      j.spec.selector = { matchExpressions: [{ key: 'a', operator: 'In', values: ['b c'] }] };
    }),
    'a selector may not be generated over another': create((j) => {
      j.spec.selector = { matchLabels: { z: 'z' }, matchExpressions: [{ key: 'a', operator: 'Exists' }] };
    }),
    'labels of pods are generated': create((j) => {
      j.spec.template = {
        ...template,
        metadata: { labels: { 'job-name': 'x', 'batch.kubernetes.io/controller-uid': 'y' } },
      };
    }),
    'negative numbers are refused': spec({
      parallelism: -1,
      completions: -2,
      activeDeadlineSeconds: -3,
      backoffLimit: -4,
      ttlSecondsAfterFinished: -5,
      backoffLimitPerIndex: -6,
      maxFailedIndexes: -7,
      podReplacementPolicy: 'Any',
      completionMode: 'Guess',
    }),
    'failures of indexes need indexes': spec({ backoffLimitPerIndex: 1, maxFailedIndexes: 2 }),
    'the number of failed indexes needs failures of indexes': indexedSpec({ maxFailedIndexes: 2 }),
    'no more indexes can fail than there are': indexedSpec({ backoffLimitPerIndex: 1, maxFailedIndexes: 6 }),
    'an indexed job completes a number of times': spec({ completionMode: 'Indexed', parallelism: 3 }),
    'indexed jobs are limited': indexedSpec({
      completions: 1_000_000,
      parallelism: 100_001,
      backoffLimitPerIndex: 1,
      maxFailedIndexes: 100_001,
    }),
    'many indexes need a limit of failures': indexedSpec({ completions: 100_001, backoffLimitPerIndex: 1 }),
    'many indexes at a time are warned of': indexedSpec({ completions: 100_001, parallelism: 10_001 }),
    'a manager has a name with a domain': spec({ managedBy: 'own' }),
    'a manager has a short name': spec({ managedBy: `example.com/${'x'.repeat(60)}` }),
    'names are warned of': create((j) => {
      j.metadata.name = 'work.x';
      j.spec.template = { spec: { ...template.spec, nodeSelector: { 'beta.kubernetes.io/os': 'linux' } } };
    }),
    'names of indexed jobs become names of hosts': create((j) => {
      j.metadata.name = 'a'.repeat(61);
      Object.assign(j.spec, { completionMode: 'Indexed', completions: 11 });
    }),
    'pods end': create((j) => {
      j.spec.template = { spec: { containers: template.spec.containers } };
    }),
    'pods restart in known ways': create((j) => {
      j.spec.template = { spec: { ...template.spec, restartPolicy: 'Sometimes' } };
    }),
    'a failure policy needs pods that do not restart': create((j) => {
      j.spec.template = { spec: { ...template.spec, restartPolicy: 'OnFailure' } };
      j.spec.podFailurePolicy = { rules: [onCode] };
      j.spec.podReplacementPolicy = 'TerminatingOrFailed';
    }),
    'a job cannot be empty': create((j) => {
      delete j.spec;
    }),
    'the template is validated': create((j) => {
      j.metadata.labels = { 'a b': '' };
      j.spec.template = { spec: { ...template.spec, containers: [] } };
    }),

    'a rule does something on something': failurePolicy({}),
    'a rule does something known': failurePolicy({ ...onCode, action: 'Guess' }),
    'a rule fails indexes where there are any': failurePolicy({ ...onCode, action: 'FailIndex' }),
    'a rule fails indexes': indexedSpec({
      backoffLimitPerIndex: 1,
      podFailurePolicy: { rules: [{ ...onCode, action: 'FailIndex' }] },
    }),
    'a rule is about one thing': failurePolicy({ ...onCode, onPodConditions: [{ type: 'X' }] }),
    'there are not too many rules': failurePolicy(...Array.from({ length: 21 }, () => onCode)),
    'exit codes are compared': exitCodes({}),
    'exit codes are compared in a known way': exitCodes({ operator: 'Near', values: [] }),
    'exit codes are in order, once, and failures': exitCodes({ operator: 'In', values: [3, 0, 3, 1] }),
    'success may be excluded': exitCodes({ operator: 'NotIn', values: [0] }),
    'exit codes are of a container': exitCodes({ operator: 'In', values: [1], containerName: 'other' }),
    'exit codes are not too many': exitCodes({ operator: 'In', values: Array.from({ length: 256 }, (_, i) => i + 1) }),
    'conditions have types and states': conditions({ type: 'a b', status: 'Maybe' }, { type: '' }),
    'conditions are not too many': conditions(...Array.from({ length: 21 }, (_, i) => ({ type: `T${i}` }))),

    'success needs indexes': spec({ successPolicy: { rules: [{ succeededCount: 1 }, { succeededIndexes: '1' }] } }),
    'success needs rules': successPolicy(),
    'success has not too many rules': successPolicy(...Array.from({ length: 21 }, () => ({ succeededCount: 1 }))),
    'success is counted or named': successPolicy({}),
    'success is counted': successPolicy({ succeededCount: 6 }, { succeededCount: -1 }),
    'success is counted among what is named': successPolicy({ succeededCount: 3, succeededIndexes: '0,2' }),
    'indexes are numbers': successPolicy(
      { succeededIndexes: 'a' },
      { succeededIndexes: '1-b' },
      { succeededIndexes: '1-2-3' },
      { succeededIndexes: '-1' },
      { succeededIndexes: ',' },
      { succeededIndexes: '' },
    ),
    'indexes are there and in order': successPolicy(
      { succeededIndexes: '5' },
      { succeededIndexes: '1-5' },
      { succeededIndexes: '3-1' },
      { succeededIndexes: '2,1' },
      { succeededIndexes: '0-2,2' },
    ),
    'indexes are not too long': successPolicy({ succeededIndexes: '0'.repeat(65_537) }),

    'a job may be suspended and resized': update('job', (j) => {
      j.spec.suspend = true;
      j.spec.parallelism = 3;
      j.spec.activeDeadlineSeconds = 4;
      j.status = { active: 3 };
    }),
    'completions are immutable': update('job', (j) => {
      j.spec.completions = 3;
    }),
    'completions may not go': update('job', (j) => {
      delete j.spec.completions;
    }),
    'the selector is immutable': update('job', (j) => {
      j.spec.selector = { matchLabels: { 'job-name': 'work' } };
    }),
    'the mode is immutable': update('job', (j) => {
      Object.assign(j.spec, { completionMode: 'Indexed', managedBy: 'example.com/x', completions: 1 });
    }),
    'the template is immutable': update('job', (j) => {
      j.spec.template.spec.containers[0].image = 'other';
      j.spec.template.metadata.annotations = { b: '2', a: '1' };
    }),
    'the same amount in other words is no change': update('manual', (j) => {
      j.spec.template.spec.containers[0].resources.requests.memory = '1048576';
    }),
    'labels of pods stay': update('job', (j) => {
      delete j.spec.template.metadata.labels['job-name'];
      j.spec.template.metadata.labels['controller-uid'] = 'x';
    }),
    'mistakes in the spec are told twice': update('job', (j) => {
      j.spec.parallelism = -1;
      j.metadata.labels = { 'a b': 'c' };
    }),
    'updates warn of the template': update('indexed', (j) => {
      Object.assign(j.spec, { parallelism: 10_001, completions: 10_001 });
      j.metadata.annotations = { x: 'y' };
    }),
    'indexed jobs are resized in tandem': update('indexed', (j) => {
      j.spec.completions = 6;
    }),
    'indexed jobs keep a size': update('indexed', (j) => {
      delete j.spec.completions;
      j.spec.successPolicy = undefined;
    }),
    'policies are immutable': update('indexed', (j) => {
      j.spec.podFailurePolicy.rules = [{ action: 'Ignore', onPodConditions: [{ type: 'X', status: 'False' }] }];
      j.spec.successPolicy.rules[0] = { succeededCount: 1 };
      j.spec.backoffLimitPerIndex = 3;
      j.spec.managedBy = 'example.com/other';
    }),
    'policies may not go': update('indexed', (j) => {
      for (const field of ['podFailurePolicy', 'successPolicy', 'managedBy']) delete j.spec[field];
    }),
    'a suspended job may be moved': update('suspended', (j) => {
      const pod = j.spec.template.spec;
      j.spec.template.metadata.labels.extra = 'x';
      j.spec.template.metadata.annotations = { a: 'b' };
      pod.nodeSelector = { a: 'b' };
      pod.tolerations = [{ operator: 'Exists' }];
      pod.schedulingGates = [{ name: 'example.com/gate' }];
      pod.affinity.nodeAffinity = nodeAffinity('b');
    }),
    'a suspended job may be given other resources': update('suspended', (j) => {
      j.spec.template.spec.containers[0].resources = { requests: { cpu: '1' } };
      j.spec.template.spec.initContainers[0].resources = { limits: { memory: '1Gi' } };
    }),
    'a suspended job may not be made another': update('suspended', (j) => {
      j.spec.template.spec.containers[0].image = 'other';
    }),
    'a suspended job keeps its containers': update('suspended', (j) => {
      j.spec.template.spec.containers.push({ name: 'more', image: 'busybox' });
      delete j.spec.template.spec.initContainers;
    }),
    'other affinity stays': update('suspended', (j) => {
      delete j.spec.template.spec.affinity;
    }),
    'affinity to nodes may go': update('placed', (j) => {
      delete j.spec.template.spec.affinity;
    }),
    'affinity to nodes may come': update('stopped', (j) => {
      j.spec.template.spec.affinity = { nodeAffinity: nodeAffinity('c') };
    }),
    'affinity to pods may not come': update('stopped', (j) => {
      j.spec.template.spec.affinity = { podAffinity };
    }),
    'a started job stays': update('started', (j) => {
      j.spec.template.spec.nodeSelector = { a: 'b' };
    }),
    'a running job stays': update('running', (j) => {
      j.spec.template.spec.containers[0].resources = { requests: { cpu: '1' } };
    }),
    'a job that is not suspended stays': update('manual', (j) => {
      j.spec.template.metadata.labels.more = 'x';
    }),

    'a job is printed': { table: 'job' },
    'an indexed job is printed': { table: 'indexed' },
    'a queue is printed': { table: 'manual' },
    'a suspended job is printed': { table: 'stopped' },
    'a finished job is printed': { table: 'done' },
    'a failed job is printed': { table: 'failed' },
    'a failing job is printed': { table: 'failing' },
    'a succeeding job is printed': { table: 'succeeding' },
  },
};
