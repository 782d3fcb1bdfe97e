import type { Pod, PodTemplateSpec } from '@coxswain/api/core/v1';
import { hasStatusCause, isNotFound, messageOf } from '@coxswain/apimachinery/errors';
import type { KubernetesObject, OwnerReference } from '@coxswain/apimachinery/meta';
import type { ClientSet, EventRecorder, ResourceDescription } from '@coxswain/client';

/** The owner of the pods, for owner references and events. */
export interface PodOwner {
  readonly object: KubernetesObject;
  readonly resource: ResourceDescription;
  readonly reference: OwnerReference;
}

/** Creates and deletes pods for their owners, and records events on the owner. */
export class PodControl {
  readonly #clients: ClientSet;
  readonly #recorder: EventRecorder;

  constructor(clients: ClientSet, recorder: EventRecorder) {
    this.#clients = clients;
    this.#recorder = recorder;
  }

  /** Creates a pod. Rejects with the server's error. Records no event when the namespace is terminating. */
  async create(namespace: string, pod: Pod, owner: PodOwner): Promise<Pod> {
    try {
      const created = await this.#clients.core.v1.pods(namespace).create(pod);
      this.#tell(owner, 'Normal', 'SuccessfulCreate', `Created pod: ${created.metadata.name}`);
      return created;
    } catch (error) {
      if (!hasStatusCause(error, 'NamespaceTerminating')) {
        this.#tell(owner, 'Warning', 'FailedCreate', `Error creating: ${messageOf(error)}`);
      }
      throw error;
    }
  }

  /** Deletes a pod. Rejects with NotFound when it no longer exists, because callers count deletions. */
  async delete(namespace: string, name: string, owner: PodOwner): Promise<void> {
    try {
      await this.#clients.core.v1.pods(namespace).withoutAnswers().delete(name);
      this.#tell(owner, 'Normal', 'SuccessfulDelete', `Deleted pod: ${name}`);
    } catch (error) {
      if (isNotFound(error)) throw error;
      this.#tell(owner, 'Warning', 'FailedDelete', `Error deleting: ${messageOf(error)}`);
      throw new Error(`unable to delete pods: ${messageOf(error)}`, { cause: error });
    }
  }

  #tell({ object, resource }: PodOwner, type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#recorder.event(object, type, reason, message, { kind: resource });
  }
}

/** Creates a pod from the template. Without `name`, the server generates a name from the owner's. */
export function podFromTemplate(
  template: PodTemplateSpec,
  { object, reference }: PodOwner,
  options: { readonly name?: string; readonly labels?: Readonly<Record<string, string>> } = {},
): Pod {
  const { labels, annotations, finalizers } = template.metadata ?? {};
  const prefix = `${object.metadata?.name}-`;
  return {
    metadata: {
      ...(options.name === undefined ? { generateName: prefix } : { name: options.name }),
      labels: { ...labels, ...options.labels },
      annotations: { ...annotations },
      ...(finalizers && { finalizers: [...finalizers] }),
      ownerReferences: [reference],
    },
    spec: structuredClone(template.spec!),
  };
}
