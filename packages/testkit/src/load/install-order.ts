import type { KubernetesObject } from '@coxswain/apimachinery/meta';

/** The order of creation by kind: Helm's install order, with CustomResourceDefinitions first. Other kinds come last. */
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

/** Returns the objects in an order in which they can be created. Objects of the same kind keep their order. */
export const inInstallOrder = <T extends KubernetesObject>(objects: readonly T[]): T[] =>
  [...objects].sort((a, b) => placeOf(a) - placeOf(b));
