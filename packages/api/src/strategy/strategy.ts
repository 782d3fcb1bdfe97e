import type { ErrorList, FieldError, FieldLabelConversion, KubernetesObject, Steps } from '@coxswain/apimachinery';
import type { SignatureVerifier } from '@coxswain/apimachinery/x509';
import type { FeatureGates } from '../features/feature-gates.ts';
import type { TablePrinter } from './table.ts';

/** The inputs of a strategy besides the object. */
export interface StrategyContext {
  readonly features: FeatureGates;
  /** Absent for a cluster-scoped resource. */
  readonly namespace?: string;
  /** Labels of that namespace. They say whether ResourceClaims there may ask for admin access. */
  readonly namespaceLabels?: Readonly<Record<string, string>>;
  /** The user that made the request; absent for the server's own writes. CertificateSigningRequests record it. */
  readonly user?: UserInfo;
  readonly now: () => Date;
  /** Generates the name of a LimitRange that has none; random UUIDs by default. */
  readonly uuid?: () => string;
  /** Whether privileged containers may run in the cluster: `--allow-privileged`. Default true. */
  readonly allowPrivileged?: boolean;
  /** Receives warnings raised while an object is prepared, before validation. They are sent even when the object is refused. */
  readonly warn?: (warning: string) => void;
  /** The group version that the request came through (`events.k8s.io/v1`); a few rules are stricter in newer ones. */
  readonly requestGroupVersion?: string;
  /** The IP families of the cluster's service addresses, the default first. Absent: IPv4 only. */
  readonly serviceIPFamilies?: readonly ('IPv4' | 'IPv6')[];
  /** Verifies the keys and signatures of certificate requests. Absent: they are not verified; a server must set it. */
  readonly signatures?: SignatureVerifier;
  /**
   * Errors of the CEL expressions in the object, by field path. The server compiles them before it validates the
   * object, because that takes time.
   */
  expressionErrors?: ExpressionErrors;
}

export type ExpressionErrors = ReadonlyMap<string, FieldError>;

export interface UserInfo {
  readonly username: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/**
 * How objects of a kind are created and updated: upstream's registry strategy, as data where possible. There is one per
 * kind, for its hub version; all served versions use it.
 *
 * The engine (`prepare.ts`, `validate.ts`) does what all kinds have in common, in this order:
 * - create: clears `status` and all other fields that subresources own, sets generation to 1 where the kind has one,
 *   calls `prepareForCreate`, then validates metadata, then calls `validate`.
 * - update: restores the fields that subresources own from the old object, calls `prepareForUpdate`, raises the
 *   generation when `generation` says so, then validates metadata against the old, then calls `validateUpdate`.
 * - update of a subresource: takes only the fields of that subresource from the new object, then continues like an
 *   update with the subresource's own hooks.
 *
 * Hooks may modify `object` and must not modify `old`.
 */
export interface Strategy<T extends KubernetesObject = KubernetesObject> {
  /** The rule for metadata.name and, with `prefix`, for generateName; returns error messages. Default: a DNS subdomain. */
  readonly validateName?: (name: string, prefix: boolean, context: StrategyContext) => string[];
  /** A PUT of an object that does not exist creates it. */
  readonly allowCreateOnUpdate?: boolean;
  /** An update without resourceVersion is accepted and overwrites. Default true. */
  readonly allowUnconditionalUpdate?: boolean;
  /**
   * metadata.generation starts at 1 and grows when one of these top-level fields changes, or when the function returns
   * true. Absent: the kind has no generation.
   */
  readonly generation?: readonly string[] | ((object: T, old: T) => boolean);
  /**
   * Runs before everything else: fills in interdependent fields, from which the server then allocates addresses and
   * ports. If it returns errors, they are the whole response and nothing else runs. `old` is absent on create.
   */
  readonly begin?: (object: T, old: T | undefined, context: StrategyContext) => ErrorList;
  readonly prepareForCreate?: (object: T, context: StrategyContext) => void;
  readonly prepareForUpdate?: (object: T, old: T, context: StrategyContext) => void;
  readonly validate?: (object: T, context: StrategyContext) => ErrorList;
  readonly validateUpdate?: (object: T, old: T, context: StrategyContext) => ErrorList;
  /**
   * Replaces `validate` and `validateUpdate` where validating a large object takes tens of milliseconds. `old` is
   * absent on create.
   */
  readonly validateInSteps?: (object: T, old: T | undefined, context: StrategyContext) => Steps<ErrorList>;
  /**
   * Runs after `validate` or `validateUpdate` (of subresources too), with the `errors` that they found: the CEL rules
   * of custom resources, which may take long. Returns further errors; a promise only if it took long. `old` is absent
   * on create.
   */
  readonly validateRules?: (
    object: T,
    old: T | undefined,
    errors: ErrorList,
    context: StrategyContext,
  ) => ErrorList | Promise<ErrorList>;
  /** `validate` checks metadata too, in its own order. Only if it finds no errors, the rules that all kinds share are checked. */
  readonly validatesMetadata?: boolean;
  /**
   * `validateUpdate` checks changes of metadata in its own order, or not at all. The check that precedes it for every
   * kind still runs.
   */
  readonly validatesMetadataUpdate?: boolean;
  /**
   * The metadata of an update is also validated like that of a new object, so an error in it appears once more among
   * the causes.
   */
  readonly revalidatesMetadata?: boolean;
  /** Finalizers without a domain are allowed: true for custom resources. */
  readonly allowsAnyFinalizer?: boolean;
  /** Brings a valid object into its stored form. */
  readonly canonicalize?: (object: T) => void;
  readonly warningsOnCreate?: (object: T, context: StrategyContext) => string[];
  readonly warningsOnUpdate?: (object: T, old: T, context: StrategyContext) => string[];
  readonly subresources?: Readonly<Record<string, SubresourceStrategy<T>>>;
  /** Field selectors besides metadata.name and metadata.namespace: label → the object's value for it. */
  readonly selectableFields?: Readonly<Record<string, (object: T) => string>>;
  /** The columns of `kubectl get`. Absent: name and age only. */
  readonly table?: TablePrinter<T>;
}

export interface SubresourceStrategy<T extends KubernetesObject = KubernetesObject> {
  /**
   * Fields that only this subresource writes, as dotted paths (`status`, `spec.ephemeralContainers`). An update of the
   * main resource keeps their old values.
   */
  readonly owns: readonly string[];
  /**
   * Fields that it writes besides those it owns: the main resource may write them too, or its validation refuses
   * changes to them.
   */
  readonly takes?: readonly string[];
  /** Whether create clears the owned fields. Default true. */
  readonly clearedOnCreate?: boolean;
  /**
   * Which metadata an update of this subresource takes over. 'all', the default, takes labels, annotations and
   * finalizers as given; 'none' keeps the old metadata except managedFields.
   */
  readonly metadata?: 'all' | 'none';
  readonly prepareForUpdate?: (object: T, old: T, context: StrategyContext) => void;
  readonly validateUpdate?: (object: T, old: T, context: StrategyContext) => ErrorList;
  /** As in `Strategy`. */
  readonly validatesMetadataUpdate?: boolean;
  readonly warningsOnUpdate?: (object: T, old: T, context: StrategyContext) => string[];
}

/**
 * Sets the defaults that upstream sets, on an object of exactly this version. Idempotent. `now` is for the few defaults
 * that are the current time.
 */
export type Defaulter<T> = (object: T, now?: () => Date) => void;

/**
 * Converts to and from the kind's hub version. Both functions return a new object or the modified argument; the caller
 * owns it.
 */
export interface HubConversion<T = KubernetesObject, H = KubernetesObject> {
  readonly toHub: (object: T) => H;
  readonly fromHub: (hub: H) => T;
}

/**
 * The code of one group version, in `src/<group>/<version>/index.ts`. Kinds are named as in the API (`Pod`); those that
 * need no code are not mentioned.
 */
export interface GroupVersionBehaviour {
  readonly group: string;
  readonly version: string;
  readonly defaults?: Readonly<Record<string, Defaulter<never>>>;
  /** Only for kinds whose hub is this version. */
  readonly strategies?: Readonly<Record<string, Strategy<never>>>;
  /** Only for kinds whose hub is another version that differs in more than apiVersion. */
  readonly conversions?: Readonly<
    Record<string, { toHub: (object: never) => KubernetesObject; fromHub: (hub: never) => KubernetesObject }>
  >;
  /** By kind: the field labels of a version that differ from the hub's `selectableFields`. */
  readonly fieldLabels?: Readonly<Record<string, FieldLabelConversion>>;
}
