import type { UserInfo } from '@coxswain/api';
import type { GroupVersionKind, GroupVersionResource, KubernetesObject, StructSchema } from '@coxswain/apimachinery';
import type { Clock } from '@coxswain/apimachinery/clock';
import type { EventLoop } from '@coxswain/apimachinery/turns';
import type { EquivalentResource } from '../registry/equivalent-resource.ts';

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** A write on its way to the store, as admission plug-ins see it. */
export interface AdmissionAttributes {
  readonly operation: Operation;
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  /** Empty for the resource itself. */
  readonly subresource: string;
  /** Empty for a create whose name is to be generated. */
  readonly name: string;
  /** Empty for what is in no namespace. */
  readonly namespace: string;
  /** In its hub version; absent for a deletion. Mutating plug-ins change it in place. */
  readonly object?: KubernetesObject | undefined;
  /** As it is stored; absent for a create. */
  readonly oldObject?: KubernetesObject | undefined;
  readonly dryRun: boolean;
  readonly user: UserInfo;
  readonly warn: (text: string) => void;
  /** For the audit log; with `minLevel`, only where at least so much of the request is written down. */
  readonly annotate: (key: string, value: string, minLevel?: 'Request') => void;
  /** Of the request as it is done, not as it was sent: a patch that creates has CreateOptions. None for CONNECT. */
  readonly options?: KubernetesObject | undefined;
  /** Absent: objects are in the version of `kind`, and in no other. */
  readonly objects?: AdmissionObjects;
  /**
   * Aborted when the client has gone away; undefined where nobody can go. Not optional, as a spread of a class with a getter
   * loses it: the compiler refuses what lacks it.
   */
  readonly signal: AbortSignal | undefined;
  /** When the request must be answered, in the monotonic time of the server's clock; undefined for requests without a limit. */
  readonly deadline: number | undefined;
  /** The time of the server that has the request. */
  readonly clock: Clock;
  /** Where others get their turn while expressions and checks take long. */
  readonly eventLoop: EventLoop;
  /** Made by the first mutating plug-in that wants it. */
  reinvocation?: Reinvocation | undefined;
}

/** What objects of a request look like in other versions. */
export interface AdmissionObjects {
  /** Everything that the request could have been to instead, and would have meant the same; itself too. */
  equivalents(): readonly EquivalentResource[];
  /** The object in that version; does not change the one given. Throws what went wrong. */
  toKind(object: KubernetesObject, kind: GroupVersionKind): Promise<KubernetesObject>;
  /** The object as `AdmissionAttributes` has it. */
  toHub(object: KubernetesObject): Promise<KubernetesObject>;
  /**
   * Takes JSON for an object of that kind; unknown fields are dropped, or, where `strict`, those of types that are built
   * in are an error. Throws an Error as upstream's.
   */
  read(value: unknown, kind: GroupVersionKind, strict?: boolean): KubernetesObject;
  /** How values of that kind are merged; undefined when nobody knows. */
  schema(kind: GroupVersionKind): StructSchema | undefined;
  /** May change the one given. */
  withDefaults(object: KubernetesObject): KubernetesObject;
}

/** Has mutating admission run a second time, because what changed an object late may concern who saw it before. */
export class Reinvocation {
  /** What plug-ins remember of the first time. */
  readonly memory = new Map<unknown, unknown>();
  /** Whether this is the second time. */
  isReinvoke = false;
  wanted = false;

  static of(attributes: AdmissionAttributes): Reinvocation {
    attributes.reinvocation ??= new Reinvocation();
    return attributes.reinvocation;
  }
}

/** One step of admission. Throws an ApiError to refuse the write. */
export interface AdmissionPlugin {
  /** As `--enable-admission-plugins` has it. */
  readonly name: string;
  readonly operations: readonly Operation[];
  /**
   * What it wants to see, all else is kept from it: `pods`, `pods/status`, `ingresses.networking.k8s.io`. Absent:
   * everything.
   */
  readonly resources?: readonly string[];
  /**
   * May change the object: by replacing its fields (`object.spec = { ...spec }`), for what is below them may be shared
   * with what is stored.
   */
  admit?(attributes: AdmissionAttributes): Promise<void> | void;
  /** Sees the object as it would be stored. */
  validate?(attributes: AdmissionAttributes): Promise<void> | void;
  /** Lets go of what it holds. */
  close?(): void;
}

/** All plug-ins that are on, in order: first everything that changes an object, then everything that judges it. */
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

  /** Whether anybody wants to see such writes at all. */
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

/** Who sees which write: found once, for there are many plug-ins and most are about a single resource. */
class Route {
  /** By operation and resource; only of resources that a plug-in names. */
  readonly #named = new Map<string, readonly AdmissionPlugin[]>();
  /** By operation: who sees everything. */
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
