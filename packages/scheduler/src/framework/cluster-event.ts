import type { Pod } from '@coxswain/api/core/v1';
import type { KubernetesObject } from '@coxswain/apimachinery/meta';

/** What can happen to an object, as bits: plug-ins name several at once. */
export const Action = {
  Add: 1 << 0,
  Delete: 1 << 1,
  UpdateNodeAllocatable: 1 << 2,
  UpdateNodeLabel: 1 << 3,
  UpdateNodeTaint: 1 << 4,
  UpdateNodeCondition: 1 << 5,
  UpdateNodeAnnotation: 1 << 6,
  UpdateNodeDeclaredFeature: 1 << 7,
  UpdatePodLabel: 1 << 8,
  UpdatePodScaleDown: 1 << 9,
  UpdatePodToleration: 1 << 10,
  UpdatePodSchedulingGatesEliminated: 1 << 11,
  UpdatePodGeneratedResourceClaim: 1 << 12,
  /** Any change of a kind that has no finer ones. */
  UpdateOther: 1 << 13,
  Update: 0b11111111111100,
  All: 0b11111111111111,
} as const;

export type EventResource =
  /** Pods of any kind: assigned to a node, or (as changes of the waiting pod itself) not. */
  | 'Pod'
  | 'Node'
  | 'PersistentVolume'
  | 'PersistentVolumeClaim'
  | 'storage.k8s.io/CSINode'
  | 'storage.k8s.io/CSIDriver'
  | 'storage.k8s.io/VolumeAttachment'
  | 'storage.k8s.io/CSIStorageCapacity'
  | 'storage.k8s.io/StorageClass'
  | 'resource.k8s.io/ResourceClaim'
  | 'resource.k8s.io/ResourceSlice'
  | 'resource.k8s.io/DeviceClass'
  | '*'
  /** Of custom kinds: `foos.v1.example.com`. */
  | (string & {});

/** Something that may make a pod schedulable that was not. */
export interface ClusterEvent {
  readonly resource: EventResource;
  /** Bits of `Action`. */
  readonly action: number;
  /** For messages and metrics: `AssignedPodAdd`. Made from the others where it is not given. */
  readonly label?: string;
}

/** Whether a pod that was rejected is worth another try now. */
export type QueueingHint = 'Queue' | 'Skip';

/**
 * Asked for a waiting pod when such an event comes: `before` is undefined for what was added, `after` for what was deleted.
 * One that throws counts as `Queue`.
 */
export type QueueingHintFn = (
  pod: Pod,
  before: KubernetesObject | undefined,
  after: KubernetesObject | undefined,
) => QueueingHint;

export interface ClusterEventWithHint {
  readonly event: ClusterEvent;
  /** Without one every such event is worth a try. */
  readonly hint?: QueueingHintFn;
}
