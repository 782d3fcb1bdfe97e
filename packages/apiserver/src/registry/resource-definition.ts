import type { Strategy } from '@coxswain/api';
import type {
  DeleteOptions,
  GroupResource,
  GroupVersion,
  GroupVersionKind,
  KubernetesObject,
  StructSchema,
} from '@coxswain/apimachinery';
import type { ResourceHooks } from './resource-hooks.ts';

/** What becomes of dependents when nobody says: `unsupported` for kinds that nothing can depend on (events). */
export type GarbageCollectionPolicy = 'background' | 'orphan' | 'unsupported';

/** What a graceful deletion of an object would be. */
interface GracefulDeletion {
  readonly gracePeriodSeconds: number;
}

/**
 * Everything the generic registry must know of a resource, whatever the version it is asked for in. Built-in resources
 * have it from the catalogue, custom resources from their definition.
 */
export interface ResourceDefinition {
  /** As errors name it. */
  readonly groupResource: GroupResource;
  readonly kind: string;
  readonly namespaced: boolean;
  /** The version that strategies know. */
  readonly hub: GroupVersionKind;
  /** The version that is stored. */
  readonly storage: GroupVersionKind;
  /** Below the registry's root: `pods/`. */
  readonly keyPrefix: string;
  readonly strategy: Strategy;
  /** The object as if a client had sent it: everything that its type always writes is there. */
  readonly complete?: (object: KubernetesObject) => KubernetesObject;
  /** What a new state is like once it is stored; may be asked for something that is so already. */
  readonly storedForm?: (object: KubernetesObject, isNew: boolean) => KubernetesObject;
  readonly hooks: ResourceHooks;
  readonly garbageCollection: GarbageCollectionPolicy;
  /** Absent: deletions of the kind are never graceful. Undefined: this one is not. */
  readonly gracefulDeletion?: (
    object: KubernetesObject,
    options: { readonly gracePeriodSeconds?: number },
  ) => GracefulDeletion | undefined;
  /** Keeps an object that was deleted and has no finalizers any more: a namespace that is still being emptied. */
  readonly deletionMustWait?: (object: KubernetesObject) => boolean;
  /** What else changes when an object is marked for deletion. */
  readonly marked?: (object: KubernetesObject) => KubernetesObject;
  /** Throws an ApiError for what cannot be deleted. */
  readonly beforeDelete?: (
    object: KubernetesObject,
    options: DeleteOptions,
    warn: ((text: string) => void) | undefined,
  ) => void;
  /** How long an object lives; absent: until it is deleted. */
  readonly ttlSeconds?: number;
  /** Whether DELETE answers with what was deleted rather than with a Status. */
  readonly returnsDeletedObject?: boolean;
  /** The object as that version has it; the object itself when it is of it. May change what it is given. */
  convert(object: KubernetesObject, target: GroupVersion): KubernetesObject;
  schemaFor(version: GroupVersionKind): StructSchema | undefined;
}
