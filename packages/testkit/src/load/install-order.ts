import type { KubernetesObject } from '@coxswain/apimachinery/meta';

/** As Helm installs: what others need comes before them. Kinds that are not here come last. */
const order: readonly string[] = [
  'PriorityClass',
  'Namespace',
  'NetworkPolicy',
  'ResourceQuota',
  'LimitRange',
  'PodSecurityPolicy',
  'PodDisruptionBudget',
  'ServiceAccount',
  'Secret',
  'SecretList',
  'ConfigMap',
  'StorageClass',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'CustomResourceDefinition',
  'ClusterRole',
  'ClusterRoleList',
  'ClusterRoleBinding',
  'ClusterRoleBindingList',
  'Role',
  'RoleList',
  'RoleBinding',
  'RoleBindingList',
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
];

const places: ReadonlyMap<string, number> = new Map(order.map((kind, index) => [kind, index]));

const placeOf = ({ kind = '' }: KubernetesObject): number => places.get(kind) ?? order.length;

/** The order in which they can be created; those of one kind stay in theirs. */
export const inInstallOrder = <T extends KubernetesObject>(objects: readonly T[]): T[] =>
  [...objects].sort((a, b) => placeOf(a) - placeOf(b));
