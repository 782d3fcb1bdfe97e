import type { FeatureGates, Resource, TablePrinter } from '@coxswain/api';
import type {
  CodecFactory,
  FieldManager,
  FieldManagerApplyOptions,
  GroupResource,
  GroupVersion,
  GroupVersionKind,
  GroupVersionResource,
  KubernetesObject,
  Scheme,
  Steps,
  StructSchema,
} from '@coxswain/apimachinery';
import type { Clock } from '@coxswain/apimachinery/clock';
import type { EventLoop } from '@coxswain/apimachinery/turns';
import type { Authorizer } from '@coxswain/component-base/authorization';
import type { AdmissionChain } from '../admission/admission.ts';
import type { EquivalentResource } from '../registry/equivalent-resource.ts';
import type { Lister } from '../registry/lister.ts';
import { newFieldManager } from '../registry/new-field-manager.ts';
import type { CustomType } from '../registry/resource-definition.ts';
import type { ResourceRegistry } from '../registry/resource-registry.ts';
import { inTurns, type Turns } from '../turns/turns.ts';
import type { RecentFrames } from './recent-frames.ts';
import type { WatchPacer } from './watch-pacer.ts';

/** What all endpoints of a server share. */
export interface EndpointServices {
  readonly codecs: CodecFactory;
  readonly scheme: Scheme;
  readonly features: FeatureGates;
  readonly admission: AdmissionChain;
  readonly authorizer: Authorizer;
  readonly namespaces: Lister;
  readonly now: () => Date;
  readonly clock: Clock;
  readonly eventLoop: EventLoop;
  readonly allowPrivileged: boolean;
  readonly serviceIPFamilies: readonly ('IPv4' | 'IPv6')[];
  /** Watches end at a random time between this and twice it, when the client says nothing. */
  readonly minRequestTimeoutMs: number;
  readonly maxRequestBodyBytes: number;
  /** Aborted when the server begins to shut down: watches end. */
  readonly shuttingDown: AbortSignal;
  readonly random: () => number;
  readonly watchPacer: WatchPacer;
  readonly recentFrames: RecentFrames;
  /** Everything that a resource, or a part of it, is also served as, itself included. */
  readonly equivalents?: (scope: ResourceScope, subresource: string) => readonly EquivalentResource[];
  /** Hears of every batch of watch events that is sent. */
  readonly onWatchEvents?: (resource: GroupVersionResource, events: number, bytes: number) => void;
  /** Hears of a watch that had to be cut off because something could not be sent. */
  readonly onWatchError?: (resource: GroupVersionResource, error: unknown) => void;
}

/** A write other than by apply, to a resource or to a part of it. */
export interface TrackedWrite {
  /** Empty for the resource itself. */
  readonly subresource: string;
  readonly live: KubernetesObject | undefined;
  readonly next: KubernetesObject;
  readonly manager: string;
  readonly turns?: Turns | undefined;
}

/** A write by apply. */
export interface AppliedConfiguration extends Pick<TrackedWrite, 'subresource' | 'live' | 'turns'> {
  readonly configuration: KubernetesObject;
  readonly options: FieldManagerApplyOptions;
}

/** What it takes to show objects: less than a scope where nothing is stored. */
export interface Presenter {
  readonly kind: GroupVersionKind;
  readonly listKind: string;
  /** Absent: a name and a time. */
  readonly table: TablePrinter<KubernetesObject> | undefined;
  readonly services: Pick<EndpointServices, 'now'>;
  /** Whether the items of a list say what they are, each for itself. */
  readonly itemsSayKind?: boolean;
  toVersion(hub: KubernetesObject): KubernetesObject;
}

/** A resource in one of the versions it is served in: upstream's RequestScope. */
export class ResourceScope implements Presenter {
  readonly kind: GroupVersionKind;
  readonly listKind: string;
  readonly resource: GroupVersionResource;
  readonly info: Resource;
  readonly registry: ResourceRegistry;
  readonly services: EndpointServices;
  readonly #fieldManagers = new Map<string, FieldManager>();

  /** `kind`: where it is another than the resource's, as a Scale is. */
  constructor(
    groupVersion: GroupVersion,
    info: Resource,
    registry: ResourceRegistry,
    services: EndpointServices,
    kind: GroupVersionKind = groupVersion.withKind(info.kind),
  ) {
    this.kind = kind;
    this.listKind = registry.definition.listKind ?? `${info.kind}List`;
    this.resource = groupVersion.withResource(info.name);
    this.info = info;
    this.registry = registry;
    this.services = services;
  }

  get groupResource(): GroupResource {
    return this.resource.groupResource;
  }

  get namespaced(): boolean {
    return this.info.namespaced;
  }

  /** Of the kind in this version; absent for one that takes anything. */
  get schema(): StructSchema | undefined {
    return this.registry.definition.schemaFor(this.kind);
  }

  /** Of a kind that is not built in. */
  get custom(): CustomType | undefined {
    return this.registry.definition.custom;
  }

  get itemsSayKind(): boolean {
    return this.custom !== undefined;
  }

  get table(): TablePrinter<KubernetesObject> | undefined {
    return this.registry.definition.strategy.table;
  }

  /** Whether the bytes in the store are what this version answers with. */
  get servesStoredBytes(): boolean {
    return this.kind === this.registry.definition.storage;
  }

  toVersion(hub: KubernetesObject): KubernetesObject {
    return this.kind === this.registry.definition.hub
      ? hub
      : this.registry.definition.convert(hub, this.kind.groupVersion);
  }

  toHub(object: KubernetesObject): KubernetesObject {
    const { hub, convert } = this.registry.definition;
    return this.kind === hub ? object : convert(object, hub.groupVersion);
  }

  /** The new state with its managedFields after a write by the manager, to the resource or to a part of it. */
  track({ subresource, live, next, manager, turns }: TrackedWrite): KubernetesObject | Promise<KubernetesObject> {
    const fieldManager = this.fieldManager(subresource);
    const withoutErrors = (): KubernetesObject | Promise<KubernetesObject> =>
      inTurns(turns, fieldManager.updateNoErrorsInSteps(live, next, manager));
    const { whileConverting } = this.custom ?? {};
    if (!whileConverting) return withoutErrors();
    return whileConverting(() => fieldManager.updateInSteps(live, next, manager), turns).catch(withoutErrors);
  }

  /** What applying a configuration makes of the present state. Throws what `FieldManager.apply` throws. */
  applied({
    subresource,
    live,
    configuration,
    options,
    turns,
  }: AppliedConfiguration): KubernetesObject | Promise<KubernetesObject> {
    const fieldManager = this.fieldManager(subresource);
    const run = (): Steps<KubernetesObject> => fieldManager.applyInSteps(live, configuration, options);
    return this.custom?.whileConverting?.(run, turns) ?? inTurns(turns, run());
  }

  /** Keeps managedFields for writes through this version, to the resource or to a part of it. */
  fieldManager(subresource = ''): FieldManager {
    let manager = this.#fieldManagers.get(subresource);
    if (!manager) {
      const { scheme, now } = this.services;
      manager = newFieldManager(this.registry, { kind: this.kind, subresource, scheme, now });
      this.#fieldManagers.set(subresource, manager);
    }
    return manager;
  }
}
