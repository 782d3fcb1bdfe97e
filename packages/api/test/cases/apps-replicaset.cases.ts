import type { Case, CaseSuite, Change } from '../case.ts';

const replicaSet = {
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: { name: 'web' },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'nginx' }] } },
  },
};

const create = (change?: Change): Case => ({ create: 'replicaSet', ...(change && { change }) });
const update = (change: Change): Case => ({ update: 'replicaSet', change });
const status = (change: Change): Case => ({ update: 'counted', subresource: 'status', change });

export const suite: CaseSuite = {
  bases: {
    replicaSet: { object: replicaSet },
    counted: {
      object: { ...replicaSet, metadata: { name: 'counted' }, spec: { ...replicaSet.spec, replicas: 5 } },
      status: { replicas: 5, fullyLabeledReplicas: 4, readyReplicas: 3, availableReplicas: 2, observedGeneration: 1 },
    },
  },
  cases: {
    'a replica set gets its defaults': create(),
    'negative numbers are refused': create((r) => {
      Object.assign(r.spec, { replicas: -1, minReadySeconds: -2 });
    }),
    'a selector is required': create((r) => {
      delete r.spec.selector;
    }),
    'a selector selects something': create((r) => {
      r.spec.selector = {};
    }),
    'a selector is well formed': create((r) => {
      r.spec.selector.matchLabels.app = 'a b';
    }),
    'the selector selects the template': create((r) => {
      r.spec.template.metadata.labels.app = 'other';
    }),
    'pods restart and have no deadline': create((r) => {
      Object.assign(r.spec.template.spec, { restartPolicy: 'OnFailure', activeDeadlineSeconds: 1 });
    }),
    'a replica set cannot be empty': create((r) => {
      delete r.spec;
    }),
    'names are warned of': create((r) => {
      r.metadata.name = 'web.x';
      r.spec.template.spec.hostAliases = [
        { ip: '1.1.1.1', hostnames: ['a'] },
        { ip: '1.1.1.1', hostnames: ['b'] },
      ];
    }),
    'a change of the spec raises the generation': update((r) => {
      r.spec.replicas = 2;
      r.status = { replicas: 8 };
    }),
    'annotations do not': update((r) => {
      r.metadata.annotations = { a: 'b' };
    }),
    'the selector is immutable': update((r) => {
      r.spec.selector.matchExpressions = [{ key: 'app', operator: 'Exists' }];
    }),
    'updates warn of the template': update((r) => {
      r.spec.template.spec.nodeSelector = { 'beta.kubernetes.io/arch': 'arm64' };
    }),
    'status is taken over, spec is not': status((r) => {
      r.spec.replicas = 1;
      r.metadata.labels = { a: 'b' };
      r.status = { replicas: 9, terminatingReplicas: 2 };
    }),
    'counts are not negative': status((r) => {
      r.status = {
        replicas: -1,
        fullyLabeledReplicas: -2,
        readyReplicas: -3,
        availableReplicas: -4,
        observedGeneration: -5,
        terminatingReplicas: -6,
      };
    }),
    'counts are not beyond what there is': status((r) => {
      r.status = { replicas: 1, fullyLabeledReplicas: 2, readyReplicas: 3, availableReplicas: 4 };
    }),
    'a replica set is printed': { table: 'replicaSet' },
    'counts are printed': { table: 'counted' },
  },
};
