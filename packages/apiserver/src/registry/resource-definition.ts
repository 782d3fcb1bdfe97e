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
import type { Turns } from '../turns/turns.ts';
import type { EquivalentResource } from './equivalent-resource.ts';
import type { ResourceHooks } from './resource-hooks.ts';
import type { StorageVersions } from './storage-versions.ts';

/** What happens to dependents when the request does not say. `unsupported` is for kinds without dependents (events). */
export type GarbageCollectionPolicy = 'background' | 'orphan' | 'unsupported';

/** The parameters of a graceful deletion. */
interface GracefulDeletion {
  readonly gracePeriodSeconds: number;
}

/** Additional properties of custom resources. */
export interface CustomType {
  /**
   * Prunes a client's object in place, and returns the paths of unknown fields. Throws an Error when the object does not match
   * the structure of its type.
   */
  prune(object: KubernetesObject): readonly string[];
  /** Sets defaults, in place. */
  setDefaults(object: KubernetesObject): void;
  /** Converts field labels of selectors. Throws an Error for labels that this version does not support. */
  readonly fieldLabel: FieldLabelConversion;
  /** Returns, by version, the fields that writes to the subresource (empty for the resource itself) cannot change. */
  resetFields(subresource: string): ReadonlyMap<string, readonly string[]>;
  /** The paths of the scale subresource, if there is one. */
  readonly scale?: ScalePaths;
  /**
   * Runs a computation that converts objects, when conversion is asynchronous (a webhook). `run` may be called several times,
   * because it is repeated after the conversions that it needs.
   */
  readonly whileConverting?: <T>(run: () => Steps<T>, turns?: Turns) => Promise<T>;
}

/** The paths of a Scale's values in a custom resource, as lists of field names. */
export interface ScalePaths {
  readonly specReplicas: readonly string[];
  readonly statusReplicas: readonly string[];
  readonly labelSelector?: readonly string[];
  /** The path of spec replicas by version; null for versions without a scale subresource. */
  readonly replicasByVersion: ReadonlyMap<string, readonly string[] | null>;
}

/**
 * The properties of a resource that the generic registry needs, for all its versions. Built-in resources get it from the
 * catalogue, custom resources from their CustomResourceDefinition.
 */
export interface ResourceDefinition {
  /** The name in errors. */
  readonly groupResource: GroupResource;
  readonly kind: string;
  /** The kind of lists, when it is not the kind followed by `List`. */
  readonly listKind?: string;
  readonly namespaced: boolean;
  /** The version in which strategies process objects. */
  readonly hub: GroupVersionKind;
  /** The storage version. */
  readonly storage: GroupVersionKind;
  /** The prefix of keys below the registry's root, such as `pods/`. */
  readonly keyPrefix: string;
  readonly strategy: Strategy;
  /** For custom resources. When undefined, objects are stored in one version and converted by `convert`. */
  readonly versions?: StorageVersions;
  /** Undefined for built-in resources. */
  readonly custom?: CustomType;
  /** Returns all resources that share this one's storage, itself included. When undefined, the router finds them. */
  readonly equivalents?: (subresource: string) => readonly EquivalentResource[];
  /** Normalizes an object as if a client had sent it: with all fields that its Go type always encodes. */
  readonly complete?: (object: KubernetesObject) => KubernetesObject;
  /** Returns the object as upstream would read it back from the store. Idempotent. */
  readonly storedForm?: (object: KubernetesObject, isNew: boolean) => KubernetesObject;
  readonly hooks: ResourceHooks;
  readonly garbageCollection: GarbageCollectionPolicy;
  /** When undefined, or when it returns undefined, the deletion is not graceful. */
  readonly gracefulDeletion?: (
    object: KubernetesObject,
    options: { readonly gracePeriodSeconds?: number },
  ) => GracefulDeletion | undefined;
  /** Returns true to keep an object marked for deletion although it has no finalizers: a namespace with `spec.finalizers`. */
  readonly deletionMustWait?: (object: KubernetesObject) => boolean;
  /** Returns the object to store instead of a normal deletion, or undefined for a normal deletion. */
  readonly retire?: (object: KubernetesObject, now: Date) => KubernetesObject | undefined;
  /** Makes further changes to an object that is marked for deletion. */
  readonly marked?: (object: KubernetesObject) => KubernetesObject;
  /** Throws an ApiError when the object must not be deleted. */
  readonly beforeDelete?: (
    object: KubernetesObject,
    options: DeleteOptions,
    warn: ((text: string) => void) | undefined,
  ) => void;
  /** The lifetime of objects. Undefined when they live until they are deleted. */
  readonly ttlSeconds?: number;
  /** Whether DELETE returns the deleted object instead of a Status. */
  readonly returnsDeletedObject?: boolean;
  /** Converts an object to a version; returns the same object when it is of that version. May modify its argument. */
  convert(object: KubernetesObject, target: GroupVersion): KubernetesObject;
  schemaFor(version: GroupVersionKind): StructSchema | undefined;
}
