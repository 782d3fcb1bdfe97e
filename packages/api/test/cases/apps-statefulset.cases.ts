import type { Case, CaseSuite, Change } from '../case.ts';

const claim = {
  metadata: { name: 'data' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};

const statefulSet = {
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'db' },
  spec: {
    serviceName: 'db',
    selector: { matchLabels: { app: 'db' } },
    template: {
      metadata: { labels: { app: 'db' } },
      spec: { containers: [{ name: 'db', image: 'postgres', resources: { requests: { memory: '1Mi' } } }] },
    },
  },
};

const create = (change?: Change): Case => ({ create: 'statefulSet', ...(change && { change }) });
const update = (change: Change): Case => ({ update: 'statefulSet', change });
const status = (change: Change): Case => ({ update: 'counted', subresource: 'status', change });
const strategy = (value: unknown): Case =>
  create((s) => {
    s.spec.updateStrategy = value;
  });

export const suite: CaseSuite = {
  bases: {
    statefulSet: { object: { ...statefulSet, spec: { ...statefulSet.spec, volumeClaimTemplates: [claim] } } },
    counted: {
      object: { ...statefulSet, metadata: { name: 'counted' }, spec: { ...statefulSet.spec, replicas: 5 } },
      status: {
        replicas: 5,
        readyReplicas: 4,
        currentReplicas: 3,
        updatedReplicas: 2,
        availableReplicas: 1,
        observedGeneration: 1,
        collisionCount: 3,
      },
    },
  },
  cases: {
    'a stateful set gets its defaults': create(),
    'what is set stays': create((s) => {
      Object.assign(s.spec, {
        replicas: 0,
        podManagementPolicy: 'Parallel',
        updateStrategy: { type: 'OnDelete' },
        revisionHistoryLimit: 0,
        minReadySeconds: 4,
        persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete' },
        ordinals: { start: 3 },
      });
    }),
    'a rolling update starts somewhere': strategy({ rollingUpdate: {} }),
    'a rolling update may have no parameters': strategy({ type: 'RollingUpdate' }),
    'parameters alone make a rolling update': strategy({ rollingUpdate: { partition: 2 } }),
    'how many pods go at once is not supported yet': strategy({ rollingUpdate: { maxUnavailable: '10%' } }),
    'names are labels': create((s) => {
      s.metadata.name = 'db.x';
    }),
    'negative numbers are refused': create((s) => {
      Object.assign(s.spec, {
        replicas: -1,
        minReadySeconds: -2,
        ordinals: { start: -3 },
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: -4 } },
      });
    }),
    'negative limits of history are warned of': create((s) => {
      s.spec.revisionHistoryLimit = -1;
    }),
    'unknown words are refused': create((s) => {
      Object.assign(s.spec, {
        podManagementPolicy: 'Any',
        updateStrategy: { type: 'Guess', rollingUpdate: { partition: 1 } },
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Keep', whenScaled: 'Burn' },
      });
    }),
    'an unknown strategy has no parameters': strategy({ type: 'Guess' }),
    'deleting by hand takes no parameters': strategy({ type: 'OnDelete', rollingUpdate: { partition: 1 } }),
    'the service has a name that a service can have': create((s) => {
      s.spec.serviceName = 'a.b';
    }),
    'no service is needed': create((s) => {
      delete s.spec.serviceName;
    }),
    'a selector is required': create((s) => {
      delete s.spec.selector;
    }),
    'a selector selects something': create((s) => {
      s.spec.selector = {};
    }),
    'a selector is well formed': create((s) => {
      s.spec.selector.matchLabels['a b'] = 'c';
    }),
    'the selector selects the template': create((s) => {
      s.spec.template.metadata.labels = { b: '2', a: '1' };
    }),
    'pods restart and have no deadline': create((s) => {
      Object.assign(s.spec.template.spec, { restartPolicy: 'OnFailure', activeDeadlineSeconds: 1 });
    }),
    'labels and annotations of the template are judged twice': create((s) => {
      s.spec.template.metadata.labels['a b'] = '-';
      s.spec.template.metadata.annotations = {
        'c d': '',
        'controller.kubernetes.io/pod-deletion-cost': 'x',
      };
    }),
    'the template is validated': create((s) => {
      s.spec.template.spec.containers[0].name = 'A';
    }),
    'hosts are named by the controller': create((s) => {
      Object.assign(s.spec.template.spec, { hostname: 'A_B', subdomain: 'C_D' });
    }),
    'claims are volumes of their pods': create((s) => {
      s.spec.template.spec.volumes = [{ name: 'data', emptyDir: {} }];
      s.spec.template.spec.containers[0].volumeMounts = [
        { name: 'data', mountPath: '/data' },
        { name: 'other', mountPath: '/other' },
      ];
    }),
    'claims are named as volumes are': create((s) => {
      s.spec.volumeClaimTemplates[0].metadata.name = 'A_B';
    }),
    'claims are validated': create((s) => {
      s.spec.volumeClaimTemplates.push({ metadata: { name: 'x' } });
      s.spec.volumeClaimTemplates[0].spec.accessModes = ['Any'];
      s.spec.volumeClaimTemplates[0].spec.volumeMode = 'Tape';
      s.spec.volumeClaimTemplates[0].spec.resources.requests.storage = '0';
    }),
    'the status of claims is kept': create((s) => {
      s.spec.volumeClaimTemplates[0].status = { phase: 'Bound' };
      s.spec.volumeClaimTemplates[0].kind = 'X';
      s.spec.volumeClaimTemplates[0].apiVersion = 'v7';
    }),
    'fractions of bytes are warned of': create((s) => {
      s.spec.volumeClaimTemplates[0].spec.resources.requests.storage = '1500m';
      s.spec.template.spec.nodeSelector = { 'beta.kubernetes.io/os': 'linux' };
    }),
    'a stateful set cannot be empty': create((s) => {
      delete s.spec;
    }),
    'some of the spec may change': update((s) => {
      Object.assign(s.spec, {
        replicas: 3,
        minReadySeconds: 1,
        revisionHistoryLimit: -2,
        ordinals: { start: 2 },
        updateStrategy: { type: 'OnDelete' },
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete' },
      });
      s.spec.template.spec.nodeSelector = { 'beta.kubernetes.io/os': 'linux' };
    }),
    'the rest may not': update((s) => {
      s.spec.serviceName = 'other';
      s.spec.podManagementPolicy = 'Parallel';
    }),
    'the selector is immutable': update((s) => {
      s.spec.selector.matchLabels.tier = 'x';
      s.spec.template.metadata.labels.tier = 'x';
    }),
    'claims are immutable': update((s) => {
      s.spec.volumeClaimTemplates[0].spec.resources.requests.storage = '2500m';
    }),
    'what may change is validated': update((s) => {
      s.spec.replicas = -1;
      s.spec.template.spec.containers[0].image = '';
    }),
    'the same amount in other words is no change': update((s) => {
      s.spec.volumeClaimTemplates[0].spec.resources.requests.storage = '1073741824';
      s.spec.template.spec.containers[0].resources.requests.memory = '1048576';
    }),
    'status is taken over, spec is not': status((s) => {
      s.spec.replicas = 7;
      s.status = { replicas: 6, currentRevision: 'a', collisionCount: 3 };
    }),
    'counts are not negative': status((s) => {
      for (const key of Object.keys(s.status)) s.status[key] = -1;
    }),
    'counts are not beyond what there is': status((s) => {
      s.status = {
        replicas: 1,
        readyReplicas: 2,
        currentReplicas: 3,
        updatedReplicas: 4,
        availableReplicas: 5,
        collisionCount: 2,
      };
      s.metadata.labels = { 'a b': 'c' };
    }),
    'a stateful set is printed': { table: 'statefulSet' },
    'counts are printed': { table: 'counted' },
  },
};
