import type { Case, CaseSuite, Change } from '../case.ts';

const daemonSet = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'agent' },
  spec: {
    selector: { matchLabels: { app: 'agent' } },
    template: {
      metadata: { labels: { app: 'agent' } },
      spec: { containers: [{ name: 'agent', image: 'agent:1', resources: { requests: { memory: '1Mi' } } }] },
    },
  },
};

const create = (change?: Change): Case => ({ create: 'daemonSet', ...(change && { change }) });
const update = (change: Change): Case => ({ update: 'daemonSet', change });
const status = (change: Change): Case => ({ update: 'counted', subresource: 'status', change });
const strategy = (value: unknown): Case =>
  create((d) => {
    d.spec.updateStrategy = value;
  });
const rolling = (maxUnavailable: unknown, maxSurge: unknown): Case =>
  strategy({ rollingUpdate: { maxUnavailable, maxSurge } });

export const suite: CaseSuite = {
  bases: {
    daemonSet: { object: daemonSet },
    counted: {
      object: {
        ...daemonSet,
        metadata: { name: 'counted', annotations: { 'deprecated.daemonset.template.generation': '4' } },
        spec: {
          ...daemonSet.spec,
          template: {
            ...daemonSet.spec.template,
            spec: { ...daemonSet.spec.template.spec, nodeSelector: { zone: 'b', disk: 'ssd' } },
          },
        },
      },
      status: {
        currentNumberScheduled: 1,
        numberMisscheduled: 2,
        desiredNumberScheduled: 3,
        numberReady: 4,
        observedGeneration: 5,
        updatedNumberScheduled: 6,
        numberAvailable: 7,
        numberUnavailable: 8,
        collisionCount: 9,
      },
    },
  },
  cases: {
    'a daemon set gets its defaults': create(),
    'what is set stays': create((d) => {
      Object.assign(d.spec, {
        updateStrategy: { rollingUpdate: { maxSurge: '10%', maxUnavailable: 0 } },
        revisionHistoryLimit: 0,
        minReadySeconds: 5,
      });
      d.metadata.annotations = { 'deprecated.daemonset.template.generation': '+7', a: 'b' };
    }),
    'the template starts at its first generation': create((d) => {
      d.metadata.annotations = { 'deprecated.daemonset.template.generation': '-3' };
    }),
    'negative numbers are refused': create((d) => {
      Object.assign(d.spec, { minReadySeconds: -1, revisionHistoryLimit: -2 });
    }),
    'a selector is required': create((d) => {
      delete d.spec.selector;
    }),
    'a selector selects something': create((d) => {
      d.spec.selector = {};
    }),
    'a selector is well formed': create((d) => {
      d.spec.selector = { matchExpressions: [{ key: 'app', operator: 'In', values: ['a b'] }] };
    }),
    'the selector selects the template': create((d) => {
      d.spec.selector = { matchExpressions: [{ key: 'app', operator: 'DoesNotExist' }] };
    }),
    'pods restart and have no deadline': create((d) => {
      Object.assign(d.spec.template.spec, { restartPolicy: 'OnFailure', activeDeadlineSeconds: 1 });
    }),
    'a daemon set cannot be empty': create((d) => {
      delete d.spec;
    }),
    'an unknown strategy is refused': strategy({ type: 'Guess', rollingUpdate: { maxUnavailable: 1 } }),
    'pods may wait to be deleted': strategy({ type: 'OnDelete', rollingUpdate: { maxUnavailable: -1 } }),
    'something must move in an update': rolling(0, '0%'),
    'pods come before or go before': rolling(1, '1%'),
    'percentages are percentages': rolling('x', 'y'),
    'no more than everything': rolling('101%', '102%'),
    'negative parameters are refused': rolling(-1, -2),
    'the template warns': create((d) => {
      d.metadata.name = 'agent.x';
      d.spec.template.spec.nodeSelector = { 'beta.kubernetes.io/os': 'linux' };
    }),
    'a change of the template raises both generations': update((d) => {
      d.spec.template.spec.nodeSelector = { 'beta.kubernetes.io/os': 'linux' };
    }),
    'another change of the spec raises one': update((d) => {
      d.spec.minReadySeconds = 3;
      d.spec.template.spec.hostIPC = false;
      d.metadata.annotations['deprecated.daemonset.template.generation'] = '8';
    }),
    'the same amount in other words is no change': update((d) => {
      d.spec.template.spec.containers[0].resources.requests.memory = '1048576';
    }),
    'the generation of the template is nobody’s to set': update((d) => {
      delete d.metadata.annotations;
      d.metadata.labels = { a: 'b' };
    }),
    'the selector is immutable': update((d) => {
      d.spec.selector.matchLabels = { x: 'y' };
      d.spec.minReadySeconds = -1;
    }),
    'status is taken over, spec is not': status((d) => {
      d.metadata.annotations = { 'deprecated.daemonset.template.generation': '77', k: 'v' };
      d.spec.minReadySeconds = 6;
      d.status = { collisionCount: 10, conditions: [{ type: 'X', status: 'True' }] };
    }),
    'counts are not negative': status((d) => {
      for (const key of Object.keys(d.status)) d.status[key] = -1;
    }),
    'collisions are not forgotten': status((d) => {
      delete d.status.collisionCount;
    }),
    'a daemon set is printed': { table: 'daemonSet' },
    'counts are printed': { table: 'counted' },
  },
};
