import type { Case, CaseSuite } from '../case.ts';

/* Workloads and autoscalers with non-default feature gates. */

const labels = { app: 'x' };
const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const workload = (kind: string) => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name: kind.toLowerCase() },
  spec: { selector: { matchLabels: labels }, template },
});
const job = (name: string) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name },
  spec: { suspend: true, template: { spec: { ...template.spec, restartPolicy: 'Never' } } },
});

const rolling = (rollingUpdate: object | undefined, type?: string): Case => ({
  create: 'statefulSet',
  change: (s) => {
    s.spec.updateStrategy = { ...(type && { type }), ...(rollingUpdate && { rollingUpdate }) };
  },
});
const autoscaler = (fields: object): Case => ({
  create: 'autoscaler',
  change: (h) => {
    Object.assign(h.spec, fields);
  },
});
const external = { type: 'External', external: { metric: { name: 'm' }, target: { type: 'Value', value: '1' } } };
const terminating = (base: string): Case => ({
  update: base,
  subresource: 'status',
  change: (d) => {
    d.status = { replicas: 2, terminatingReplicas: 1 };
  },
});

export const suite: CaseSuite = {
  features: {
    MaxUnavailableStatefulSet: true,
    HPAScaleToZero: true,
    HPAConfigurableTolerance: false,
    DeploymentReplicaSetTerminatingReplicas: false,
    MutablePodResourcesForSuspendedJobs: false,
    MutableSchedulingDirectivesForSuspendedJobs: false,
  },
  bases: {
    statefulSet: { object: workload('StatefulSet') },
    deployment: { object: workload('Deployment') },
    replicaSet: { object: workload('ReplicaSet') },
    autoscaler: {
      object: {
        apiVersion: 'autoscaling/v2',
        kind: 'HorizontalPodAutoscaler',
        metadata: { name: 'h' },
        spec: {
          maxReplicas: 3,
          minReplicas: 0,
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
          metrics: [external],
        },
      },
    },
    suspended: { object: job('suspended') },
    stopped: {
      object: job('stopped'),
      status: { startTime: '2026-01-01T00:00:00Z', conditions: [{ type: 'Suspended', status: 'True' }] },
    },
  },
  cases: {
    'one pod at a time is unavailable': { create: 'statefulSet' },
    'one pod at a time is unavailable in a part': rolling({ partition: 1 }),
    'nothing is said where nothing was': rolling(undefined, 'RollingUpdate'),
    'several pods at a time are unavailable': rolling({ maxUnavailable: '10%' }),
    'some pods are unavailable': rolling({ maxUnavailable: 0 }),
    'some pods of all are unavailable': rolling({ maxUnavailable: '0%' }),
    'not more than all pods are unavailable': rolling({ maxUnavailable: '101%', partition: -1 }),
    'no negative number of pods is unavailable': rolling({ maxUnavailable: -1 }),
    'deleting by hand takes no number': rolling({ maxUnavailable: 1, partition: 2 }, 'OnDelete'),
    'an unknown way takes no number': rolling({ maxUnavailable: '5%' }, 'Guess'),
    'the number may change': {
      update: 'statefulSet',
      change: (s) => {
        s.spec.updateStrategy.rollingUpdate.maxUnavailable = 2;
      },
    },
    'the number stays when nobody names it': {
      update: 'statefulSet',
      change: (s) => {
        delete s.spec.updateStrategy.rollingUpdate.maxUnavailable;
      },
    },

    'nothing may run where something else is measured': { create: 'autoscaler' },
    'nothing may run, but not by what pods use': autoscaler({ metrics: [] }),
    'not less than nothing runs': autoscaler({ minReplicas: -1 }),
    'tolerance is dropped': autoscaler({
      behavior: { scaleUp: { tolerance: '0.1' }, scaleDown: { tolerance: '0.2' } },
    }),
    'tolerance is dropped before it is judged': autoscaler({ behavior: { scaleUp: { tolerance: '-1' } } }),

    'pods of a deployment that are ending are not counted': terminating('deployment'),
    'pods of a replica set that are ending are not counted': terminating('replicaSet'),

    'a suspended job may be moved': {
      update: 'suspended',
      change: (j) => {
        j.spec.template.spec.nodeSelector = { a: 'b' };
      },
    },
    'a suspended job may not be given other resources': {
      update: 'suspended',
      change: (j) => {
        j.spec.template.spec.containers[0].resources = { requests: { cpu: '1' } };
      },
    },
    'a job that was started once may not be moved': {
      update: 'stopped',
      change: (j) => {
        j.spec.template.spec.nodeSelector = { a: 'b' };
      },
    },
  },
};
