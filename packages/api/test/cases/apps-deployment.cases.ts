import type { Case, CaseSuite, Change } from '../case.ts';

const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'nginx' }] } },
  },
};

const create = (change?: Change): Case => ({ create: 'deployment', ...(change && { change }) });
const update = (change: Change): Case => ({ update: 'deployment', change });
const status = (change: Change): Case => ({ update: 'counted', subresource: 'status', change });
const strategy = (value: unknown): Case =>
  create((d) => {
    d.spec.strategy = value;
  });
const rolling = (maxUnavailable: unknown, maxSurge: unknown): Case =>
  strategy({ type: 'RollingUpdate', rollingUpdate: { maxUnavailable, maxSurge } });

export const suite: CaseSuite = {
  bases: {
    deployment: { object: deployment },
    counted: {
      object: {
        ...deployment,
        metadata: { name: 'counted', labels: { tier: 'a' }, annotations: { 'deprecated.deployment.rollback.to': '3' } },
        spec: { ...deployment.spec, replicas: 5 },
      },
      status: {
        observedGeneration: 1,
        replicas: 5,
        updatedReplicas: 4,
        readyReplicas: 3,
        availableReplicas: 2,
        unavailableReplicas: 3,
        terminatingReplicas: 1,
        collisionCount: 2,
      },
    },
    selecting: {
      object: {
        ...deployment,
        metadata: { name: 'selecting' },
        spec: {
          selector: {
            matchLabels: { b: '2', app: 'web' },
            matchExpressions: [{ key: 'tier', operator: 'In', values: ['y', 'x'] }],
          },
          template: {
            metadata: { labels: { app: 'web', b: '2', tier: 'x' } },
            spec: {
              containers: [
                { name: 'web', image: 'nginx' },
                { name: 'log', image: 'fluentd:1' },
              ],
            },
          },
        },
      },
    },
  },
  cases: {
    'a deployment gets its defaults': create(),
    'what is set stays': create((d) => {
      Object.assign(d.spec, {
        replicas: 0,
        minReadySeconds: 3,
        revisionHistoryLimit: 0,
        paused: true,
        progressDeadlineSeconds: 4,
        strategy: { rollingUpdate: { maxSurge: 2 } },
      });
    }),
    'recreating needs no numbers': strategy({ type: 'Recreate' }),
    'status and generation cannot be created': create((d) => {
      d.status = { replicas: 3 };
      d.metadata.generation = 7;
    }),
    'negative numbers are refused': create((d) => {
      Object.assign(d.spec, {
        replicas: -1,
        minReadySeconds: -2,
        revisionHistoryLimit: -3,
        progressDeadlineSeconds: -4,
      });
    }),
    'the deadline lies after pods are ready': create((d) => {
      Object.assign(d.spec, { minReadySeconds: 600, progressDeadlineSeconds: 600 });
    }),
    'a selector is required': create((d) => {
      delete d.spec.selector;
    }),
    'a selector selects something': create((d) => {
      d.spec.selector = {};
    }),
    'a selector is well formed': create((d) => {
      d.spec.selector = {
        matchLabels: { 'a b': 'x', app: 'web' },
        matchExpressions: [
          { key: 'k', operator: 'In' },
          { key: 'k', operator: 'Exists', values: ['x'] },
          { key: 'k', operator: 'Near', values: ['x y'] },
        ],
      };
    }),
    'the selector selects the template': create((d) => {
      d.spec.selector.matchLabels = { zone: 'z', app: 'web' };
    }),
    'the template has labels': create((d) => {
      delete d.spec.template.metadata;
    }),
    'pods restart and have no deadline': create((d) => {
      d.spec.template.spec.restartPolicy = 'Never';
      d.spec.template.spec.activeDeadlineSeconds = 5;
    }),
    'the template is validated': create((d) => {
      d.spec.template.metadata.labels['x y'] = '-';
      d.spec.template.spec.containers = [{ name: 'A', image: '' }];
    }),
    'a template cannot be empty': create((d) => {
      delete d.spec.template;
    }),
    'a deployment cannot be empty': create((d) => {
      delete d.spec;
    }),
    'metadata comes first': create((d) => {
      d.metadata = { name: 'A', labels: { 'a b': '' } };
      d.spec.replicas = -1;
    }),
    'an unknown strategy is refused': strategy({ type: 'Guess', rollingUpdate: { maxSurge: '10%' } }),
    'an unknown strategy without parameters is refused': strategy({ type: 'Guess' }),
    'recreating takes no parameters': strategy({ type: 'Recreate', rollingUpdate: {} }),
    'something must move in an update': rolling(0, '0%'),
    'percentages are percentages': rolling('5', 'x%'),
    'a text without number is nothing': rolling('x', 'y'),
    'negative parameters are refused': rolling(-1, -2),
    'no more than everything can be unavailable': rolling('101%', '200%'),
    'everything may be unavailable': rolling('100%', 1000),
    'a rollback is an annotation': create((d) => {
      d.metadata.annotations = { 'deprecated.deployment.rollback.to': '+05', other: 'x' };
    }),
    'an empty rollback is none': create((d) => {
      d.metadata.annotations = { 'deprecated.deployment.rollback.to': '' };
    }),
    'a rollback goes to a revision': create((d) => {
      d.metadata.annotations = { 'deprecated.deployment.rollback.to': '-1' };
      d.spec.progressDeadlineSeconds = 0;
    }),
    'names that are no labels are warned of': create((d) => {
      d.metadata.name = 'web.example';
    }),
    'long names that are no labels are warned of': create((d) => {
      d.metadata.name = `${'a'.repeat(64)}.b`;
    }),
    'warnings come from the template too': create((d) => {
      d.spec.template.spec.nodeSelector = { 'beta.kubernetes.io/os': 'linux' };
      d.spec.template.spec.containers[0].env = [
        { name: 'A', value: '1' },
        { name: 'A', value: '2' },
      ];
    }),
    'a change of the spec raises the generation': update((d) => {
      d.spec.replicas = 4;
    }),
    'a change of annotations raises the generation': update((d) => {
      d.metadata.annotations = { a: 'b' };
    }),
    'a change of labels does not': update((d) => {
      d.metadata.labels = { a: 'b' };
    }),
    'labels are judged again': update((d) => {
      d.metadata.labels = { 'a b': 'b' };
      d.spec.replicas = -1;
    }),
    'the selector is immutable': update((d) => {
      d.spec.selector.matchLabels = { tier: 'x', app: 'web' };
      d.spec.template.metadata.labels.tier = 'x';
    }),
    'status cannot be changed through the deployment': update((d) => {
      d.status = { replicas: 3 };
    }),
    'updates warn when the generation rises': update((d) => {
      d.spec.template.spec.nodeSelector = { 'beta.kubernetes.io/arch': 'arm64' };
    }),
    'status is taken over, spec, labels and rollback are not': status((d) => {
      d.status = {
        replicas: 6,
        readyReplicas: 6,
        collisionCount: 3,
        conditions: [{ type: 'Available', status: 'True' }],
      };
      d.spec.replicas = 9;
      d.metadata.labels = { x: 'y' };
      d.metadata.annotations = { note: 'x', 'deprecated.deployment.rollback.to': '9' };
    }),
    'counts are not negative': status((d) => {
      d.status = {
        observedGeneration: -1,
        replicas: -2,
        updatedReplicas: -3,
        readyReplicas: -4,
        availableReplicas: -5,
        unavailableReplicas: -6,
        terminatingReplicas: -7,
        collisionCount: -8,
      };
    }),
    'counts are not beyond what there is': status((d) => {
      Object.assign(d.status, { replicas: 1, updatedReplicas: 2, readyReplicas: 3, availableReplicas: 4 });
    }),
    'collisions are not forgotten': status((d) => {
      delete d.status.collisionCount;
    }),
    'collisions do not become fewer': status((d) => {
      d.status.collisionCount = 1;
    }),
    'a deployment is printed': { table: 'deployment' },
    'counts are printed': { table: 'counted' },
    'selectors are printed': { table: 'selecting' },
  },
};
