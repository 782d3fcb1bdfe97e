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

/** An object with a number of replicas and a pod template: a ReplicaSet or a ReplicationController. */
export interface ReplicatedObject extends KubernetesObject {
  readonly metadata: ObjectMeta;
  readonly spec?: {
    readonly replicas?: number;
    readonly minReadySeconds?: number;
    readonly template?: PodTemplateSpec;
  };
  readonly status?: ReplicaSetStatus;
}

/** The differences between the kinds of replicated objects. */
export interface ReplicatedKind<T extends ReplicatedObject> {
  /** The source component of events. */
  readonly component: string;
  readonly queueName: string;
  readonly resource: ResourceDescription;
  /** Whether the status has the number of terminating pods. */
  readonly countsTerminating: boolean;
  informer(informers: SharedInformerFactory): SharedIndexInformer<T>;
  /** Returns the object's selector. Throws when it is invalid. */
  readonly selector: (object: T) => Selector;
  client(clients: ClientSet, namespace: string): Pick<ResourceInterface<T>, 'get' | 'updateStatus'>;
  /** Returns the object with this status. */
  withStatus(object: T, status: ReplicaSetStatus): T;
}

/** The server sets the default, so `replicas` is always present on its objects. */
export const replicasOf = ({ spec }: ReplicatedObject): number => spec?.replicas ?? 1;
