import type { UserInfo } from '@coxswain/api';
import type { GroupVersionKind, GroupVersionResource, KubernetesObject, StructSchema } from '@coxswain/apimachinery';
import type { Clock } from '@coxswain/apimachinery/clock';
import type { EventLoop } from '@coxswain/apimachinery/turns';
import type { EquivalentResource } from '../registry/equivalent-resource.ts';

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** The attributes of a write that admission plug-ins see. */
export interface AdmissionAttributes {
  readonly operation: Operation;
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  /** Empty for the resource itself. */
  readonly subresource: string;
  /** Empty for a create whose name is to be generated. */
  readonly name: string;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  /** In its hub version; absent for a deletion. Mutating plug-ins change it in place. */
  readonly object?: KubernetesObject | undefined;
  /** The stored object; absent for a create. */
  readonly oldObject?: KubernetesObject | undefined;
  readonly dryRun: boolean;
  readonly user: UserInfo;
  readonly warn: (text: string) => void;
  /** Adds an audit annotation. With `minLevel`, it is only recorded at that audit level or higher. */
  readonly annotate: (key: string, value: string, minLevel?: 'Request') => void;
  /** The options of the operation that is done: a patch that creates has CreateOptions. None for CONNECT. */
  readonly options?: KubernetesObject | undefined;
  /** Absent: objects are only available in the version of `kind`. */
  readonly objects?: AdmissionObjects;
  /**
   * Aborted when the client disconnects; undefined for requests without a client. It is not optional, since spreading
   * an instance with a getter loses it: the compiler then reports that it is missing.
   */
  readonly signal: AbortSignal | undefined;
  /** The deadline of the response, in monotonic time of the server's clock; undefined for requests without a limit. */
  readonly deadline: number | undefined;
  /** The clock of the server. */
  readonly clock: Clock;
  /** Is yielded to during long evaluations and checks. */
  readonly eventLoop: EventLoop;
  /** Created by the first mutating plug-in that uses it. */
  reinvocation?: Reinvocation | undefined;
}

/** Converts the objects of a request to other versions. */
export interface AdmissionObjects {
  /** All equivalent resources that the request could have used, including its own. */
  equivalents(): readonly EquivalentResource[];
  /** Converts an object to a version, without modifying it. Throws the error of the conversion. */
  toKind(object: KubernetesObject, kind: GroupVersionKind): Promise<KubernetesObject>;
  /** Converts an object to the version that `AdmissionAttributes` has. */
  toHub(object: KubernetesObject): Promise<KubernetesObject>;
  /**
   * Converts JSON to an object of that kind. Unknown fields are dropped or, where `strict`, an error for built-in
   * types. Throws an Error like upstream's.
   */
  read(value: unknown, kind: GroupVersionKind, strict?: boolean): KubernetesObject;
  /** The schema for merging values of that kind; undefined when unknown. */
  schema(kind: GroupVersionKind): StructSchema | undefined;
  /** Sets defaults; may modify the object. */
  withDefaults(object: KubernetesObject): KubernetesObject;
}

/** Runs mutating admission a second time, when a later plug-in changed an object that earlier ones have seen. */
export class Reinvocation {
  /** State that plug-ins keep from the first run. */
  readonly memory = new Map<unknown, unknown>();
  /** Whether this is the second run. */
  isReinvoke = false;
  wanted = false;

  static of(attributes: AdmissionAttributes): Reinvocation {
    attributes.reinvocation ??= new Reinvocation();
    return attributes.reinvocation;
  }
}

/** A step of admission. Its methods throw an ApiError to reject the write. */
export interface AdmissionPlugin {
  /** Its name in `--enable-admission-plugins`. */
  readonly name: string;
  readonly operations: readonly Operation[];
  /** The resources for which it is called: `pods`, `pods/status`, `ingresses.networking.k8s.io`. Absent: all. */
  readonly resources?: readonly string[];
  /**
   * May change the object, but only by replacing its fields (`object.spec = { ...spec }`), since their values may be
   * shared with the stored object.
   */
  admit?(attributes: AdmissionAttributes): Promise<void> | void;
  /** Validates the object in its final form. */
  validate?(attributes: AdmissionAttributes): Promise<void> | void;
  /** Releases resources. */
  close?(): void;
}

/** All enabled plug-ins in order: first all mutating steps run, then all validating ones. */
export class AdmissionChain {
  readonly #plugins: readonly AdmissionPlugin[];
  readonly #admit: Route;
  readonly #validate: Route;

  constructor(plugins: readonly AdmissionPlugin[]) {
    this.#plugins = plugins;
    this.#admit = new Route(plugins.filter(({ admit }) => admit));
    this.#validate = new Route(plugins.filter(({ validate }) => validate));
  }

  close(): void {
    for (const plugin of this.#plugins) plugin.close?.();
  }

  /** Whether any plug-in handles the operation. */
  handles(operation: Operation): boolean {
    return this.#admit.handles(operation) || this.#validate.handles(operation);
  }

  async admit(attributes: AdmissionAttributes): Promise<void> {
    await this.#admitOnce(attributes);
    const { reinvocation } = attributes;
    if (!reinvocation?.wanted) return;
    reinvocation.isReinvoke = true;
    await this.#admitOnce(attributes);
  }

  async #admitOnce(attributes: AdmissionAttributes): Promise<void> {
    for (const plugin of this.#admit.pluginsFor(attributes)) {
      const done = plugin.admit?.(attributes);
      if (done) await done;
    }
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    for (const plugin of this.#validate.pluginsFor(attributes)) {
      const done = plugin.validate?.(attributes);
      if (done) await done;
    }
  }
}

/**
 * Selects the plug-ins for a write. Computed once, since there are many plug-ins, most of them for a single resource.
 */
class Route {
  /** By operation and resource, for the resources that plug-ins name. */
  readonly #named = new Map<string, readonly AdmissionPlugin[]>();
  /** By operation: plug-ins for all resources. */
  readonly #others = new Map<Operation, readonly AdmissionPlugin[]>();
  readonly #handled: ReadonlySet<Operation>;

  constructor(plugins: readonly AdmissionPlugin[]) {
    this.#handled = new Set(plugins.flatMap(({ operations }) => operations));
    const names = new Set(plugins.flatMap(({ resources = [] }) => resources));
    for (const operation of this.#handled) {
      const interested = plugins.filter(({ operations }) => operations.includes(operation));
      this.#others.set(
        operation,
        interested.filter(({ resources }) => !resources),
      );
      for (const name of names) {
        const seeing = interested.filter(({ resources }) => !resources || resources.includes(name));
        this.#named.set(`${operation} ${name}`, seeing);
      }
    }
  }

  handles(operation: Operation): boolean {
    return this.#handled.has(operation);
  }

  pluginsFor({ operation, resource, subresource }: AdmissionAttributes): readonly AdmissionPlugin[] {
    const { groupResource } = resource;
    const name = subresource === '' ? `${groupResource}` : `${groupResource}/${subresource}`;
    return this.#named.get(`${operation} ${name}`) ?? this.#others.get(operation) ?? [];
  }
}
