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

/** The dependencies that all endpoints of a server share. */
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
  /** Watches without `timeoutSeconds` end at a random time between this and twice this. */
  readonly minRequestTimeoutMs: number;
  readonly maxRequestBodyBytes: number;
  /** Aborted when the server begins to shut down. Watches then end. */
  readonly shuttingDown: AbortSignal;
  readonly random: () => number;
  readonly watchPacer: WatchPacer;
  readonly recentFrames: RecentFrames;
  /** Returns all resources that share the storage of a resource or subresource, itself included. */
  readonly equivalents?: (scope: ResourceScope, subresource: string) => readonly EquivalentResource[];
  /** Called for every batch of watch events that is sent. */
  readonly onWatchEvents?: (resource: GroupVersionResource, events: number, bytes: number) => void;
  /** Called when a watch is closed because an event could not be encoded. */
  readonly onWatchError?: (resource: GroupVersionResource, error: unknown) => void;
}

/** A create, update or patch other than server-side apply, of a resource or subresource. */
export interface TrackedWrite {
  /** Empty for the resource itself. */
  readonly subresource: string;
  readonly live: KubernetesObject | undefined;
  readonly next: KubernetesObject;
  readonly manager: string;
  readonly turns?: Turns | undefined;
}

/** A server-side apply. */
export interface AppliedConfiguration extends Pick<TrackedWrite, 'subresource' | 'live' | 'turns'> {
  readonly configuration: KubernetesObject;
  readonly options: FieldManagerApplyOptions;
}

/** The part of a scope that presenting objects needs. Resources that are not stored have only this. */
export interface Presenter {
  readonly kind: GroupVersionKind;
  readonly listKind: string;
  /** Without one, a Table has the columns Name and Created At. */
  readonly table: TablePrinter<KubernetesObject> | undefined;
  readonly services: Pick<EndpointServices, 'now'>;
  /** Whether each item of a list has kind and apiVersion. */
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

  /** `kind` is given where it differs from the resource's, as for a Scale. */
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

  /** The schema of the kind in this version. Undefined for kinds that allow any content. */
  get schema(): StructSchema | undefined {
    return this.registry.definition.schemaFor(this.kind);
  }

  /** Set for custom resources. */
  get custom(): CustomType | undefined {
    return this.registry.definition.custom;
  }

  get itemsSayKind(): boolean {
    return this.custom !== undefined;
  }

  get table(): TablePrinter<KubernetesObject> | undefined {
    return this.registry.definition.strategy.table;
  }

  /** Whether this is the stored version, so the stored bytes can be sent without conversion. */
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

  /** Returns `next` with the managedFields that result from a write by the manager. */
  track({ subresource, live, next, manager, turns }: TrackedWrite): KubernetesObject | Promise<KubernetesObject> {
    const fieldManager = this.fieldManager(subresource);
    const withoutErrors = (): KubernetesObject | Promise<KubernetesObject> =>
      inTurns(turns, fieldManager.updateNoErrorsInSteps(live, next, manager));
    const { whileConverting } = this.custom ?? {};
    if (!whileConverting) return withoutErrors();
    return whileConverting(() => fieldManager.updateInSteps(live, next, manager), turns).catch(withoutErrors);
  }

  /** Returns the object that results from applying a configuration to the live one. Throws what `FieldManager.apply` throws. */
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

  /** Returns the FieldManager for writes in this version to the resource or a subresource. */
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
