import type { FeatureGates, Resource, TablePrinter } from '@coxswain/api';
import {
  type CodecFactory,
  compileNormalizer,
  excludeFields,
  FieldManager,
  type FieldManagerApplyOptions,
  FieldSet,
  type FieldSetFilter,
  fieldPath,
  type GroupResource,
  GroupVersion,
  type GroupVersionKind,
  type GroupVersionResource,
  includeFields,
  type KubernetesObject,
  type Scheme,
  type StructSchema,
} from '@coxswain/apimachinery';
import type { Authorizer } from '@coxswain/component-base/authorization';
import type { AdmissionChain, EquivalentResource } from '../admission/admission.ts';
import { plainError } from '../proxy/plain-error.ts';
import type { Lister } from '../registry/lister.ts';
import type { CustomType } from '../registry/resource-definition.ts';
import type { ResourceRegistry } from '../registry/resource-registry.ts';
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
  track(
    subresource: string,
    live: KubernetesObject | undefined,
    next: KubernetesObject,
    manager: string,
  ): KubernetesObject | Promise<KubernetesObject> {
    const fieldManager = this.fieldManager(subresource);
    const { whileConverting } = this.custom ?? {};
    if (!whileConverting) return fieldManager.updateNoErrors(live, next, manager);
    return whileConverting(() => fieldManager.update(live, next, manager)).catch(() =>
      fieldManager.updateNoErrors(live, next, manager),
    );
  }

  /** What applying a configuration makes of the present state. Throws what `FieldManager.apply` throws. */
  applied(
    subresource: string,
    live: KubernetesObject | undefined,
    configuration: KubernetesObject,
    options: FieldManagerApplyOptions,
  ): KubernetesObject | Promise<KubernetesObject> {
    const fieldManager = this.fieldManager(subresource);
    const run = (): KubernetesObject => fieldManager.apply(live, configuration, options);
    return this.custom?.whileConverting?.(run) ?? run();
  }

  /** Keeps managedFields for writes through this version, to the resource or to a part of it. */
  fieldManager(subresource = ''): FieldManager {
    let manager = this.#fieldManagers.get(subresource);
    if (!manager) {
      const { definition } = this.registry;
      const { custom } = this;
      const inVersion = (apiVersion: string): GroupVersionKind =>
        GroupVersion.parse(apiVersion).withKind(this.kind.kind);
      manager = new FieldManager({
        apiVersion: this.kind.apiVersion,
        kind: this.kind.kind,
        subresource,
        versions: {
          schemaFor: (apiVersion) => {
            const schema = definition.schemaFor(inVersion(apiVersion));
            // Of a built-in kind, owners of unknown versions are forgotten; those of a custom resource are an error.
            if (!schema && custom) throw plainError(`request to convert CR to an invalid group/version: ${apiVersion}`);
            return schema;
          },
          convert: (object, apiVersion) =>
            definition.convert({ ...(object as KubernetesObject) }, inVersion(apiVersion).groupVersion),
        },
        filters: custom
          ? customFilters(custom.resetFields(subresource))
          : new VersionFilters(resetFilter(this.registry, subresource)),
        ...(custom && { emptyObject: () => ({ apiVersion: this.kind.apiVersion, kind: this.kind.kind }) }),
        complete: (object) => completeApplied(this, object),
        objectsFit: !custom,
        now: this.services.now,
      });
      this.#fieldManagers.set(subresource, manager);
    }
    return manager;
  }
}

/** The same filter whatever the version: parts are named alike in all of them. */
class VersionFilters extends Map<string, FieldSetFilter> {
  readonly #filter: FieldSetFilter | undefined;

  constructor(filter: FieldSetFilter | undefined) {
    super();
    this.#filter = filter;
  }

  override get(): FieldSetFilter | undefined {
    return this.#filter;
  }
}

const customFilters = (reset: ReadonlyMap<string, readonly string[]>): Map<string, FieldSetFilter> =>
  new Map([...reset].map(([version, paths]) => [version, excluding(paths)]));

const excluding = (paths: readonly string[]): FieldSetFilter =>
  excludeFields(FieldSet.of(...paths.map((path) => fieldPath(...path.split('.')))));

/** Where upstream says something else than what follows from which part writes what. */
const specialResets: Readonly<Record<string, readonly string[]>> = {
  'certificatesigningrequests.certificates.k8s.io': ['spec', 'status'],
  'certificatesigningrequests.certificates.k8s.io/approval': ['spec', 'status.certificate'],
  'certificatesigningrequests.certificates.k8s.io/status': ['spec', 'status.conditions'],
  'deployments.apps/status': ['spec', 'metadata.labels'],
  'namespaces/finalize': ['status'],
  'pods/status': ['spec', 'metadata.deletionTimestamp', 'metadata.ownerReferences'],
};

/** What writes through here cannot change is nobody's by them. */
function resetFilter({ definition }: ResourceRegistry, subresource: string): FieldSetFilter | undefined {
  const parts = definition.strategy.subresources ?? {};
  const name = `${definition.groupResource}${subresource && `/${subresource}`}`;
  const owned = Object.values(parts).flatMap(({ owns }) => owns.filter((path) => !path.includes('.')));
  const reset = specialResets[name] ?? (subresource === '' ? owned : undefined);
  if (reset) return excluding(reset);
  const part = parts[subresource];
  if (!part) return undefined;
  const written = [...part.owns, ...(part.takes ?? [])].map((path) => path.split('.'));
  return includeFields(...written, ...(part.metadata === 'none' ? [] : [['metadata']]));
}

/** A merged configuration in the form objects have in memory: as if a client had sent it, defaults set. */
function completeApplied(
  { kind, registry, services, custom }: ResourceScope,
  merged: KubernetesObject,
): KubernetesObject {
  if (custom) {
    custom.setDefaults(merged);
    return merged;
  }
  const schema = registry.definition.schemaFor(kind);
  const object = schema ? compileNormalizer(schema)(merged).object : merged;
  services.scheme.default(object);
  return object;
}
