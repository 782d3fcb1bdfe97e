import type { Strategy } from '@coxswain/api';
import type {
  DeleteOptions,
  FieldLabelConversion,
  GroupResource,
  GroupVersion,
  GroupVersionKind,
  KubernetesObject,
  Steps,
  StructSchema,
} from '@coxswain/apimachinery';
import type { EquivalentResource } from './equivalent-resource.ts';
import type { Turns } from '../turns/turns.ts';
import type { ResourceHooks } from './resource-hooks.ts';
import type { StorageVersions } from './storage-versions.ts';

/** What becomes of dependents when nobody says: `unsupported` for kinds that nothing can depend on (events). */
export type GarbageCollectionPolicy = 'background' | 'orphan' | 'unsupported';

/** What a graceful deletion of an object would be. */
interface GracefulDeletion {
  readonly gracePeriodSeconds: number;
}

/** What else there is to know of a resource whose type came at run time. */
export interface CustomType {
  /**
   * Brings what a client sent into the form of its type, in place, and gives the paths of fields that nobody knows.
   * Throws an Error for what cannot be.
   */
  prune(object: KubernetesObject): readonly string[];
  /** Sets defaults, in place. */
  setDefaults(object: KubernetesObject): void;
  /** Throws an Error for a field that objects of this version cannot be selected by. */
  readonly fieldLabel: FieldLabelConversion;
  /** By subresource, empty for the resource itself: what a write through it cannot change, in which version. */
  resetFields(subresource: string): ReadonlyMap<string, readonly string[]>;
  /** Where an object says how often it is there. */
  readonly scale?: ScalePaths;
  /** Runs what converts objects as it goes, when to convert them takes time. It may be run several times. */
  readonly whileConverting?: <T>(run: () => Steps<T>, turns?: Turns) => Promise<T>;
}

/** Where the numbers of a Scale are, as lists of fields. */
export interface ScalePaths {
  readonly specReplicas: readonly string[];
  readonly statusReplicas: readonly string[];
  readonly labelSelector?: readonly string[];
  /** By version, where the wanted number is; null for a version that cannot be scaled. */
  readonly replicasByVersion: ReadonlyMap<string, readonly string[] | null>;
}

/**
 * Everything the generic registry must know of a resource, whatever the version it is asked for in. Built-in resources
 * have it from the catalogue, custom resources from their definition.
 */
export interface ResourceDefinition {
  /** As errors name it. */
  readonly groupResource: GroupResource;
  readonly kind: string;
  /** Of a list of them, where it is not the kind and `List`. */
  readonly listKind?: string;
  readonly namespaced: boolean;
  /** The version that strategies know. */
  readonly hub: GroupVersionKind;
  /** The version that is stored. */
  readonly storage: GroupVersionKind;
  /** Below the registry's root: `pods/`. */
  readonly keyPrefix: string;
  readonly strategy: Strategy;
  /** Absent: objects are stored in one version, and converted by `convert`. */
  readonly versions?: StorageVersions;
  /** Absent: objects are of a type that is built in. */
  readonly custom?: CustomType;
  /** As what else the resource, or a part of it, is served, itself included. Absent: the router knows. */
  readonly equivalents?: (subresource: string) => readonly EquivalentResource[];
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
  /** What becomes of an object that is to be deleted, in place of everything else; undefined: the usual. */
  readonly retire?: (object: KubernetesObject, now: Date) => KubernetesObject | undefined;
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
