import type { DeletionPropagation } from '@coxswain/apimachinery/meta';
import type { ClientSet } from '@coxswain/client';
import { unlessOvertaken } from './unless-overtaken.ts';

/** An edit of a user in a namespace. `n` selects a variant or a number of replicas. */
type Edit = (clients: ClientSet, namespace: string, n: number) => Promise<unknown>;

const labelled = (app: string) => ({ selector: { matchLabels: { app } } });
const podSpec = (n: number) => ({
  containers: [{ name: 'c', image: `image:${n}` }],
  tolerations: [
    {
      key: 'node.kubernetes.io/unreachable',
      operator: 'Exists' as const,
      effect: 'NoExecute' as const,
      tolerationSeconds: 30,
    },
  ],
});
const template = (app: string, n: number) => ({ metadata: { labels: { app } }, spec: podSpec(n) });
const imagePatch = (n: number) => ({ spec: { template: { spec: { containers: podSpec(n).containers } } } });
const jobTemplate = () => ({ spec: { ...podSpec(0), restartPolicy: 'Never' as const } });

/** Selects one of the deletion policies by `n`. */
const ways: readonly DeletionPropagation[] = ['Background', 'Foreground', 'Orphan'];
export const wayOf = (n: number): { propagationPolicy: DeletionPropagation } => ({ propagationPolicy: ways[n % 3]! });

const rollingUpdates = [
  { maxSurge: 1, maxUnavailable: 0 },
  { maxSurge: 0, maxUnavailable: 1 },
  { maxSurge: '25%', maxUnavailable: '25%' },
] as const;

/** The edits by name. */
export const userEdits = {
  'create Deployment': ({ apps }, namespace, n) =>
    apps.v1.deployments(namespace).create({
      metadata: { name: 'web' },
      spec: {
        replicas: n,
        ...labelled('web'),
        template: template('web', n % 3),
        revisionHistoryLimit: 2,
        strategy: n % 4 === 3 ? { type: 'Recreate' } : { type: 'RollingUpdate', rollingUpdate: rollingUpdates[n % 4]! },
      },
    }),
  'scale Deployment': ({ apps }, namespace, n) =>
    apps.v1.deployments(namespace).patch('web', 'merge', { spec: { replicas: n } }),
  'change Deployment': ({ apps }, namespace, n) =>
    apps.v1.deployments(namespace).patch('web', 'strategic-merge', imagePatch(n % 3)),
  'pause Deployment': ({ apps }, namespace, n) =>
    apps.v1.deployments(namespace).patch('web', 'merge', { spec: { paused: n % 2 === 0 } }),
  'delete Deployment': ({ apps }, namespace, n) => apps.v1.deployments(namespace).delete('web', wayOf(n)),

  'create ReplicaSet': ({ apps }, namespace, n) =>
    apps.v1.replicaSets(namespace).create({
      metadata: { name: 'set' },
      spec: { replicas: n, ...labelled('set'), template: template('set', 0) },
    }),
  'scale ReplicaSet': ({ apps }, namespace, n) =>
    apps.v1.replicaSets(namespace).patch('set', 'merge', { spec: { replicas: n } }),
  'delete ReplicaSet': ({ apps }, namespace, n) => apps.v1.replicaSets(namespace).delete('set', wayOf(n)),

  'create StatefulSet': ({ apps }, namespace, n) =>
    apps.v1.statefulSets(namespace).create({
      metadata: { name: 'db' },
      spec: {
        replicas: n,
        serviceName: 'db',
        ...labelled('db'),
        template: template('db', n % 3),
        podManagementPolicy: n % 2 === 0 ? 'OrderedReady' : 'Parallel',
        ...(n > 3 && {
          persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Delete' },
          volumeClaimTemplates: [
            {
              metadata: { name: 'data' },
              spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
            },
          ],
        }),
      },
    }),
  'scale StatefulSet': ({ apps }, namespace, n) =>
    apps.v1.statefulSets(namespace).patch('db', 'merge', { spec: { replicas: n } }),
  'change StatefulSet': ({ apps }, namespace, n) =>
    apps.v1.statefulSets(namespace).patch('db', 'strategic-merge', imagePatch(n % 3)),
  'delete StatefulSet': ({ apps }, namespace, n) => apps.v1.statefulSets(namespace).delete('db', wayOf(n)),

  'create DaemonSet': ({ apps }, namespace, n) =>
    apps.v1.daemonSets(namespace).create({
      metadata: { name: 'agent' },
      spec: {
        ...labelled('agent'),
        template: template('agent', n % 3),
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: rollingUpdates[n % 2]! },
      },
    }),
  'change DaemonSet': ({ apps }, namespace, n) =>
    apps.v1.daemonSets(namespace).patch('agent', 'strategic-merge', imagePatch(n % 3)),
  'delete DaemonSet': ({ apps }, namespace, n) => apps.v1.daemonSets(namespace).delete('agent', wayOf(n)),

  'create Job': ({ batch }, namespace, n) =>
    batch.v1.jobs(namespace).create({
      metadata: { name: 'work' },
      spec: {
        completions: n,
        parallelism: 1 + (n % 3),
        backoffLimit: 1000,
        completionMode: n % 2 === 0 ? 'Indexed' : 'NonIndexed',
        ...(n > 5 && { ttlSecondsAfterFinished: 60 }),
        template: jobTemplate(),
      },
    }),
  'suspend Job': ({ batch }, namespace, n) =>
    batch.v1.jobs(namespace).patch('work', 'merge', { spec: { suspend: n % 2 === 0 } }),
  'widen Job': ({ batch }, namespace, n) =>
    batch.v1.jobs(namespace).patch('work', 'merge', { spec: { parallelism: n } }),
  'delete Job': ({ batch }, namespace, n) => batch.v1.jobs(namespace).delete('work', wayOf(n)),

  'create CronJob': ({ batch }, namespace, n) =>
    batch.v1.cronJobs(namespace).create({
      metadata: { name: 'tick' },
      spec: {
        schedule: '*/2 * * * *',
        concurrencyPolicy: (['Allow', 'Forbid', 'Replace'] as const)[n % 3]!,
        successfulJobsHistoryLimit: 2,
        jobTemplate: { spec: { backoffLimit: 1000, template: jobTemplate() } },
      },
    }),
  'delete CronJob': ({ batch }, namespace, n) => batch.v1.cronJobs(namespace).delete('tick', wayOf(n)),

  'create Service': ({ core }, namespace, n) =>
    core.v1.services(namespace).create({
      metadata: { name: n % 2 === 0 ? 'web' : 'db' },
      spec: { selector: { app: n % 2 === 0 ? 'web' : 'db' }, ports: [{ port: 80 }] },
    }),
  'delete Service': ({ core }, namespace, n) => core.v1.services(namespace).delete(n % 2 === 0 ? 'web' : 'db'),
  'lose an EndpointSlice of a Service': async ({ discovery }, namespace, n) => {
    const slices = discovery.v1.endpointSlices(namespace);
    const { items } = await slices.list();
    if (items.length > 0) await slices.delete(items[n % items.length]!.metadata.name!);
  },

  'create PodDisruptionBudget': ({ policy }, namespace, n) =>
    policy.v1.podDisruptionBudgets(namespace).create({
      metadata: { name: 'web' },
      spec: { ...labelled('web'), minAvailable: n },
    }),
  'delete PodDisruptionBudget': ({ policy }, namespace) => policy.v1.podDisruptionBudgets(namespace).delete('web'),

  'create HorizontalPodAutoscaler': ({ autoscaling }, namespace, n) =>
    autoscaling.v2.horizontalPodAutoscalers(namespace).create({
      metadata: { name: 'web' },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        minReplicas: 1 + (n % 3),
        maxReplicas: 4,
      },
    }),
  'delete HorizontalPodAutoscaler': ({ autoscaling }, namespace) =>
    autoscaling.v2.horizontalPodAutoscalers(namespace).delete('web'),

  'create ResourceQuota': ({ core }, namespace, n) =>
    core.v1.resourceQuotas(namespace).create({
      metadata: { name: 'quota' },
      spec: { hard: { pods: String(n + 2), services: '5', 'count/replicasets.apps': '20' } },
    }),
  'change ResourceQuota': ({ core }, namespace, n) =>
    core.v1.resourceQuotas(namespace).patch('quota', 'merge', { spec: { hard: { pods: String(n * 3) } } }),
  'delete ResourceQuota': ({ core }, namespace) => core.v1.resourceQuotas(namespace).delete('quota'),

  'create PersistentVolume': ({ core }, namespace) =>
    core.v1.persistentVolumes().create({
      metadata: { name: `of-${namespace}` },
      spec: { capacity: { storage: '2Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/data' } },
    }),
  'delete PersistentVolume': ({ core }, namespace) => core.v1.persistentVolumes().delete(`of-${namespace}`),
  'create PersistentVolumeClaim': ({ core }, namespace) =>
    core.v1.persistentVolumeClaims(namespace).create({
      metadata: { name: 'claim' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    }),
  'delete PersistentVolumeClaim': ({ core }, namespace) => core.v1.persistentVolumeClaims(namespace).delete('claim'),

  'create held ConfigMap': ({ core }, namespace) =>
    core.v1.configMaps(namespace).create({ metadata: { name: 'held', finalizers: ['example.com/held'] } }),
  'delete held ConfigMap': ({ core }, namespace, n) => core.v1.configMaps(namespace).delete('held', wayOf(n)),
  'delete Namespace': ({ core }, namespace) => core.v1.namespaces().delete(namespace),
  'create Namespace': ({ core }, namespace) => core.v1.namespaces().create({ metadata: { name: namespace } }),
} satisfies Record<string, Edit>;

export type UserEdit = keyof typeof userEdits;

/** Performs the edit. Returns whether it succeeded; it may not be possible at the moment. */
export async function doUserEdit(edit: UserEdit, clients: ClientSet, namespace: string, n: number): Promise<boolean> {
  const work: Edit = userEdits[edit];
  return (await unlessOvertaken(work(clients, namespace, n).then(() => true))) ?? false;
}

/**
 * Removes everything that delays progress: resumes paused and suspended objects, removes finalizers, raises quotas, and suspends
 * CronJobs so that they start nothing new.
 */
export async function releaseAll(clients: ClientSet): Promise<void> {
  const { core, apps, batch } = clients;
  for (const { metadata } of (await core.v1.namespaces().list()).items) {
    const namespace = metadata.name!;
    await Promise.all(
      [
        core.v1.configMaps(namespace).patch('held', 'merge', { metadata: { finalizers: null } }),
        core.v1.resourceQuotas(namespace).patch('quota', 'merge', { spec: { hard: { pods: '100' } } }),
        apps.v1.deployments(namespace).patch('web', 'merge', { spec: { paused: false } }),
        batch.v1.cronJobs(namespace).patch('tick', 'merge', { spec: { suspend: true } }),
        batch.v1.jobs(namespace).patch('work', 'merge', { spec: { suspend: false, parallelism: 2 } }),
      ].map((work) => unlessOvertaken<unknown>(work)),
    );
  }
}
