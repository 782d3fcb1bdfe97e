import { bindingConflict, bindPod, type FeatureGates, validateBinding } from '@coxswain/api';
import type { Binding, Pod } from '@coxswain/api/core/v1';
import { aggregate, cloneJson, GroupResource, newBadRequest, newConflict } from '@coxswain/apimachinery';
import { clientsMistake } from '../registry/clients-mistake.ts';

const pods = GroupResource.of('', 'pods');
const podsBinding = GroupResource.of('', 'pods/binding');

export interface BindingRequest {
  /** The name of the pod in the URL; for the legacy resource `bindings`, the name of the binding. */
  readonly name: string;
  /** The client's binding. Its uid and resourceVersion are preconditions. */
  readonly binding: Binding;
  readonly features: FeatureGates;
  readonly now: () => Date;
  /** The key of the pod in the store, for upstream's message when a precondition fails. */
  readonly storageKey: string;
  /** Validating admission. Called when the binding itself is valid. */
  readonly validate?: () => Promise<void>;
  /**
   * Updates the stored pod without strategy and validation. `change` returns the new pod, or throws the error for the client. It is
   * called again after a concurrent write. Throws NotFound.
   */
  readonly update: (change: (current: Pod) => Pod) => Promise<unknown>;
}

/** Assigns a pod to a node. Throws upstream's ApiErrors. */
export async function createBinding(request: BindingRequest): Promise<void> {
  const { name, binding, features, now, storageKey, validate, update } = request;
  if (name !== (binding.metadata.name ?? '')) throw newBadRequest('name in URL does not match name in Binding object');
  const problems = validateBinding(binding);
  if (problems.length > 0) throw clientsMistake(aggregate(problems));
  await validate?.();
  await update((current) => {
    const failed = failedPrecondition(binding, current);
    if (failed) {
      const why = `StorageError: invalid object, Code: 4, Key: ${storageKey}, ResourceVersion: 0`;
      throw newConflict(pods, name, `${why}, AdditionalErrorMsg: Precondition failed: ${failed}`);
    }
    const conflict = bindingConflict(current);
    if (conflict) throw newConflict(podsBinding, name, conflict);
    const pod = cloneJson(current);
    bindPod(pod, binding, now(), features);
    return pod;
  });
}

function failedPrecondition({ metadata: wanted }: Binding, { metadata }: Pod): string | undefined {
  if (wanted.uid && wanted.uid !== metadata.uid)
    return `UID in precondition: ${wanted.uid}, UID in object meta: ${metadata.uid}`;
  if (wanted.resourceVersion && wanted.resourceVersion !== metadata.resourceVersion)
    return `ResourceVersion in precondition: ${wanted.resourceVersion}, ResourceVersion in object meta: ${metadata.resourceVersion}`;
  return undefined;
}
