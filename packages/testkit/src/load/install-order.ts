import type { KubernetesObject } from '@coxswain/apimachinery/meta';

/** What others need comes before them, as Helm has it, and definitions of kinds before all. Kinds that are not here come last. */
const order: readonly string[] = [
  'CustomResourceDefinition',
  'PriorityClass',
  'Namespace',
  'NetworkPolicy',
  'ResourceQuota',
  'LimitRange',
  'PodDisruptionBudget',
  'ServiceAccount',
  'Secret',
  'ConfigMap',
  'StorageClass',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'ClusterRole',
  'ClusterRoleBinding',
  'Role',
  'RoleBinding',
  'Service',
  'DaemonSet',
  'Pod',
  'ReplicationController',
  'ReplicaSet',
  'Deployment',
  'HorizontalPodAutoscaler',
  'StatefulSet',
  'Job',
  'CronJob',
  'IngressClass',
  'Ingress',
  'APIService',
  'MutatingWebhookConfiguration',
  'ValidatingWebhookConfiguration',
];

const places: ReadonlyMap<string, number> = new Map(order.map((kind, index) => [kind, index]));

const placeOf = ({ kind = '' }: KubernetesObject): number => places.get(kind) ?? order.length;

/** The order in which they can be created; those of one kind stay in theirs. */
export const inInstallOrder = <T extends KubernetesObject>(objects: readonly T[]): T[] =>
  [...objects].sort((a, b) => placeOf(a) - placeOf(b));
