import type { Pod } from '@coxswain/api/core/v1';
import type { KubernetesObject } from '@coxswain/apimachinery/meta';

/** What can happen to an object, as bits, so that plug-ins can name several actions at once. */
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
  /** An update that is none of the specific ones, and any update of other kinds. */
  UpdateOther: 1 << 13,
  Update: 0b11111111111100,
  All: 0b11111111111111,
} as const;

export type EventResource =
  /** Pods with a node, and changes of the waiting pod itself. */
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
  /** Custom kinds: `foos.v1.example.com`. */
  | (string & {});

/** An event that may make an unschedulable pod schedulable. */
export interface ClusterEvent {
  readonly resource: EventResource;
  /** Bits of `Action`. */
  readonly action: number;
  /** The name in messages and metrics: `AssignedPodAdd`. Derived from the other fields when absent. */
  readonly label?: string;
}

/** Whether a rejected pod should be retried now. */
export type QueueingHint = 'Queue' | 'Skip';

/**
 * Called for a waiting pod when a registered event happens. `before` is undefined for additions, `after` for deletions. A function that
 * throws counts as `Queue`.
 */
export type QueueingHintFn = (
  pod: Pod,
  before: KubernetesObject | undefined,
  after: KubernetesObject | undefined,
) => QueueingHint;

export interface ClusterEventWithHint {
  readonly event: ClusterEvent;
  /** Without a hint the pod is retried after every such event. */
  readonly hint?: QueueingHintFn;
}
