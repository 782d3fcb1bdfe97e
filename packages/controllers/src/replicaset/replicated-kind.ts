import type { ReplicaSetStatus } from '@coxswain/api/apps/v1';
import type { PodTemplateSpec } from '@coxswain/api/core/v1';
import type { Selector } from '@coxswain/apimachinery/labels';
import type { KubernetesObject, ObjectMeta } from '@coxswain/apimachinery/meta';
import type { ClientSet, ResourceDescription, SharedIndexInformer, SharedInformerFactory } from '@coxswain/client';

/** An object that wants so many pods like its template: a ReplicaSet, or a ReplicationController. */
export interface ReplicatedObject extends KubernetesObject {
  readonly metadata: ObjectMeta;
  readonly spec?: {
    readonly replicas?: number;
    readonly minReadySeconds?: number;
    readonly template?: PodTemplateSpec;
  };
  readonly status?: ReplicaSetStatus;
}

/** What is different from one kind of such objects to the other. */
export interface ReplicatedKind<T extends ReplicatedObject> {
  /** What events come from. */
  readonly component: string;
  readonly queueName: string;
  readonly resource: ResourceDescription;
  /** Whether the status counts the pods that are about to go. */
  readonly countsTerminating: boolean;
  informer(informers: SharedInformerFactory): SharedIndexInformer<T>;
  /** Throws when it is not valid. */
  selector(object: T): Selector;
  client(clients: ClientSet, namespace: string): ReplicatedClient<T>;
}

/** What is asked of the server about the objects themselves. */
export interface ReplicatedClient<T> {
  get(name: string): Promise<T>;
  /** Fails when somebody else has changed the object since it was read. */
  updateStatus(object: T, status: ReplicaSetStatus): Promise<T>;
}

/** The defaults are the server's; without one there is nothing to do. */
export const replicasOf = ({ spec }: ReplicatedObject): number => spec?.replicas ?? 1;
