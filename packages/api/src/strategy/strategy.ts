import type { ErrorList, FieldError, FieldLabelConversion, KubernetesObject, Steps } from '@coxswain/apimachinery';
import type { SignatureVerifier } from '@coxswain/apimachinery/x509';
import type { FeatureGates } from '../features/feature-gates.ts';
import type { TablePrinter } from './table.ts';

/** What a strategy may know besides the object. */
export interface StrategyContext {
  readonly features: FeatureGates;
  /** Absent for a resource that is not namespaced. */
  readonly namespace?: string;
  /** Labels of that namespace, which say whether devices may be claimed for administration there. */
  readonly namespaceLabels?: Readonly<Record<string, string>>;
  /** Who asks; absent inside the server. Some rules depend on it (CertificateSigningRequests record it). */
  readonly user?: UserInfo;
  readonly now: () => Date;
  /** Names objects that have none and get a UUID for it; the machine's chance by default. */
  readonly uuid?: () => string;
  /** Whether privileged containers may run in the cluster: `--allow-privileged`. Default true. */
  readonly allowPrivileged?: boolean;
  /** Takes warnings that arise while an object is prepared: they are sent even when it is refused. */
  readonly warn?: (warning: string) => void;
  /** The group version that the request came through (`events.k8s.io/v1`); a few rules are stricter in newer ones. */
  readonly requestGroupVersion?: string;
  /** The families that the cluster has service addresses of, the default first. Absent: IPv4 alone. */
  readonly serviceIPFamilies?: readonly ('IPv4' | 'IPv6')[];
  /** Checks keys and signatures of requests for certificates. Absent: nobody checks them here; a server must. */
  readonly signatures?: SignatureVerifier;
  /** What is wrong with expressions of the object, by field: the server found out before, for that takes time. */
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
 * How objects of a kind are created and changed: what upstream calls a registry strategy, as data where data can
 * say it. Written once for a kind, for its hub version; every served version walks through it.
 *
 * The engine (`prepare.ts`) does what all kinds share, in this order:
 * - create: clears `status` and everything else that subresources own, sets generation to 1 where the kind has one,
 *   calls `prepareForCreate`, then validates metadata, then calls `validate`.
 * - update: puts back from the old object what subresources own, calls `prepareForUpdate`, raises the generation when
 *   `generation` says so, then validates metadata against the old, then calls `validateUpdate`.
 * - update of a subresource: takes only what that subresource owns from the new object, then as above with its own hooks.
 *
 * Hooks may change `object` freely (it is nobody else's) and must not change `old`.
 */
export interface Strategy<T extends KubernetesObject = KubernetesObject> {
  /** The rule for metadata.name and, with `prefix`, for generateName; returns the problems. Default: a DNS subdomain. */
  readonly validateName?: (name: string, prefix: boolean, context: StrategyContext) => string[];
  /** PUT on a name that does not exist creates it. */
  readonly allowCreateOnUpdate?: boolean;
  /** An update without resourceVersion overwrites. Default true. */
  readonly allowUnconditionalUpdate?: boolean;
  /** metadata.generation starts at 1 and grows when one of these top-level fields changes, or when the function says so. Absent: the kind has no generation. */
  readonly generation?: readonly string[] | ((object: T, old: T) => boolean);
  /**
   * Comes before everything else, where the server also allocates what the object asks for: fills in fields that hang
   * together. What it complains of is the whole answer. `old` is absent on create.
   */
  readonly begin?: (object: T, old: T | undefined, context: StrategyContext) => ErrorList;
  readonly prepareForCreate?: (object: T, context: StrategyContext) => void;
  readonly prepareForUpdate?: (object: T, old: T, context: StrategyContext) => void;
  readonly validate?: (object: T, context: StrategyContext) => ErrorList;
  readonly validateUpdate?: (object: T, old: T, context: StrategyContext) => ErrorList;
  /** In place of both, where it takes tens of milliseconds to judge a large object. `old` is absent on create. */
  readonly validateInSteps?: (object: T, old: T | undefined, context: StrategyContext) => Steps<ErrorList>;
  /**
   * What is left to ask after `validate` or `validateUpdate` (of subresources too), which found `errors`, and may take
   * long: rules of custom resources. `old` is absent on create. Gives further errors, as a promise only if it took long.
   */
  readonly validateRules?: (
    object: T,
    old: T | undefined,
    errors: ErrorList,
    context: StrategyContext,
  ) => ErrorList | Promise<ErrorList>;
  /** `validate` judges metadata too, in its own order; when it finds nothing wrong, only what every kind needs is asked of it. */
  readonly validatesMetadata?: boolean;
  /** `validateUpdate` judges changes of metadata in its own order, or not at all, besides what is asked of every kind before it. */
  readonly validatesMetadataUpdate?: boolean;
  /** An update is judged as a new object too, metadata included, so that a problem of that is among the causes once more. */
  readonly revalidatesMetadata?: boolean;
  /** Finalizers without a domain are not refused: those of custom resources. */
  readonly allowsAnyFinalizer?: boolean;
  /** Brings a valid object into the form that is stored. */
  readonly canonicalize?: (object: T) => void;
  readonly warningsOnCreate?: (object: T, context: StrategyContext) => string[];
  readonly warningsOnUpdate?: (object: T, old: T, context: StrategyContext) => string[];
  readonly subresources?: Readonly<Record<string, SubresourceStrategy<T>>>;
  /** Field selectors beyond metadata.name and metadata.namespace: label → the value an object has for it. */
  readonly selectableFields?: Readonly<Record<string, (object: T) => string>>;
  /** How kubectl prints it; name and age only where absent. */
  readonly table?: TablePrinter<T>;
}

export interface SubresourceStrategy<T extends KubernetesObject = KubernetesObject> {
  /**
   * Fields that only this subresource writes, as dotted paths (`status`, `spec.ephemeralContainers`). The main resource
   * keeps the old values of them on update.
   */
  readonly owns: readonly string[];
  /** Fields that it writes besides those it owns: the main resource may write them too, or refuses changes to them. */
  readonly takes?: readonly string[];
  /** Whether create clears the owned fields. Default true. */
  readonly clearedOnCreate?: boolean;
  /** What of metadata an update of this subresource takes over. Default 'all' (labels, annotations, finalizers as given); 'none' keeps the old metadata. */
  readonly metadata?: 'all' | 'none';
  readonly prepareForUpdate?: (object: T, old: T, context: StrategyContext) => void;
  readonly validateUpdate?: (object: T, old: T, context: StrategyContext) => ErrorList;
  /** As in `Strategy`. */
  readonly validatesMetadataUpdate?: boolean;
  readonly warningsOnUpdate?: (object: T, old: T, context: StrategyContext) => string[];
}

/** Sets what upstream's defaulting sets, on an object of exactly this version. Idempotent. A few defaults are the time. */
export type Defaulter<T> = (object: T, now?: () => Date) => void;

/** To and from the kind's hub version. Both give new objects or the same one changed; the caller owns it. */
export interface HubConversion<T = KubernetesObject, H = KubernetesObject> {
  readonly toHub: (object: T) => H;
  readonly fromHub: (hub: H) => T;
}

/**
 * Everything that is code about one group version: found at `src/<group>/<version>/index.ts`.
 * Kinds are named as in the API (`Pod`). What a kind does not mention, it does not need.
 */
export interface GroupVersionBehaviour {
  readonly group: string;
  readonly version: string;
  readonly defaults?: Readonly<Record<string, Defaulter<never>>>;
  /** Only in the version that is the kind's hub. */
  readonly strategies?: Readonly<Record<string, Strategy<never>>>;
  /** Only in versions that are not the kind's hub and differ from it in more than apiVersion. */
  readonly conversions?: Readonly<
    Record<string, { toHub: (object: never) => KubernetesObject; fromHub: (hub: never) => KubernetesObject }>
  >;
  /** By kind: the field selectors of a version that names fields otherwise than the hub's `selectableFields`. */
  readonly fieldLabels?: Readonly<Record<string, FieldLabelConversion>>;
}
