import type { Pod, PodTemplateSpec } from '@coxswain/api/core/v1';
import { hasStatusCause, isNotFound, messageOf } from '@coxswain/apimachinery/errors';
import type { KubernetesObject, OwnerReference } from '@coxswain/apimachinery/meta';
import type { ClientSet, EventRecorder, ResourceDescription } from '@coxswain/client';

/** Whose pods they are: for owner references and events. */
export interface PodOwner {
  readonly object: KubernetesObject;
  readonly resource: ResourceDescription;
  readonly reference: OwnerReference;
}

/** Creates and deletes pods on behalf of their owners, and tells of it by events of the owner. */
export class PodControl {
  readonly #clients: ClientSet;
  readonly #recorder: EventRecorder;

  constructor(clients: ClientSet, recorder: EventRecorder) {
    this.#clients = clients;
    this.#recorder = recorder;
  }

  /** Rejects as the server does; a namespace that is about to go is no failure worth an event. */
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

  /** Rejects with NotFound when it is gone already: whoever counts deletions must know. */
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

/** A pod as the template has it. `name` for a pod whose name is known; otherwise one is made up from the owner's. */
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
