import type { ReplicaSetStatus } from '@coxswain/api/apps/v1';
import type { PodTemplateSpec } from '@coxswain/api/core/v1';
import type { Selector } from '@coxswain/apimachinery/labels';
import type { KubernetesObject, ObjectMeta } from '@coxswain/apimachinery/meta';
import type {
  ClientSet,
  ResourceDescription,
  ResourceInterface,
  SharedIndexInformer,
  SharedInformerFactory,
} from '@coxswain/client';

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
  readonly selector: (object: T) => Selector;
  client(clients: ClientSet, namespace: string): Pick<ResourceInterface<T>, 'get' | 'updateStatus'>;
  /** The object with another status. */
  withStatus(object: T, status: ReplicaSetStatus): T;
}

/** The defaults are the server's; without one there is nothing to do. */
export const replicasOf = ({ spec }: ReplicatedObject): number => spec?.replicas ?? 1;
