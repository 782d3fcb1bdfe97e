import type { CustomResourceDefinition, CustomResourceDefinitionVersion } from '@coxswain/api/apiextensions/v1';
import {
  type CodecFactory,
  GroupResource,
  GroupVersion,
  type GroupVersionKind,
  jsonEquals,
  type KubernetesObject,
  newForbidden,
  type Steps,
} from '@coxswain/apimachinery';
import type { Random } from '@coxswain/apimachinery/random';
import type { Clock } from '@coxswain/apimachinery/clock';
import type { EventLoop } from '@coxswain/apimachinery/turns';
import { type CacheStats, type Store, WatchCache } from '@coxswain/storage';
import type { CustomResource } from '../endpoints/custom-endpoints.ts';
import { type EndpointServices, ResourceScope } from '../endpoints/scope.ts';
import { ObjectCodec } from '../registry/object-codec.ts';
import type { CustomType, ResourceDefinition, ScalePaths } from '../registry/resource-definition.ts';
import type { Reservation } from '../registry/resource-hooks.ts';
import { ResourceRegistry } from '../registry/resource-registry.ts';
import type { StoredObject } from '../registry/stored-object.ts';
import type { Turns } from '../turns/turns.ts';
import { Conversions, noneConverter, type WebhookConverterOptions, webhookConverter } from './conversion/index.ts';
import { asFields, customResourceStrategy, selectableName, splitPath } from './custom-resource-strategy.ts';
import { deprecationOf, discoveredVersion } from './discovered-version.ts';
import { type CustomResourceSchema, compileCustomResourceSchema } from './schema/index.ts';
import { decodeStored, type VersionForm, type VersionForms, VersionViews } from './version-views.ts';

/** Dependencies of all custom resources of a server. */
export interface ServingOptions {
  readonly store: Store;
  /** The store for a resource, if not `store`: an encrypting one. */
  readonly storeFor?: (resource: GroupResource) => Store;
  readonly root: string;
  readonly codecs: CodecFactory;
  readonly services: EndpointServices;
  readonly random: Random;
  readonly now: () => Date;
  readonly clock: Clock;
  readonly eventLoop: EventLoop;
  readonly webhooks: WebhookConverterOptions;
  readonly onCacheError?: (resource: GroupResource, error: Error) => void;
}

const nothingReserved: Reservation = { commit: () => {}, rollback: () => {} };

/**
 * Serves one definition. Registries of its versions are created on first use, and share one watch cache. A changed
 * definition is replaced by a new ServedDefinition; the old one is stopped when its last request is done.
 */
export class ServedDefinition {
  readonly definition: CustomResourceDefinition;
  readonly #options: ServingOptions;
  readonly #terminating: () => boolean;
  readonly #scopes = new Map<string, ResourceScope>();
  #forms: VersionForms | undefined;
  #conversions: Conversions | undefined;
  #cache: WatchCache<StoredObject> | undefined;
  #underWay = 0;
  #retired = false;

  /** `terminating`: whether the definition is being deleted. */
  constructor(definition: CustomResourceDefinition, options: ServingOptions, terminating: () => boolean) {
    this.definition = definition;
    this.#options = options;
    this.#terminating = terminating;
  }

  /** Whether the definition would be served in the same way, as nothing that serving depends on differs. */
  servesLike({ metadata, spec, status }: CustomResourceDefinition): boolean {
    const own = this.definition;
    return (
      metadata.uid === own.metadata.uid &&
      jsonEquals(spec, own.spec) &&
      jsonEquals(status?.acceptedNames ?? {}, own.status?.acceptedNames ?? {})
    );
  }

  get groupResource(): GroupResource {
    const { spec, status } = this.definition;
    return GroupResource.of(spec.group, status?.acceptedNames?.plural || spec.names.plural);
  }

  /** A served version, for the router. */
  customResource(version: CustomResourceDefinitionVersion): CustomResource {
    const scope = (): ResourceScope => this.#scope(version);
    return {
      resource: discoveredVersion(this.definition, version),
      warning: deprecationOf(this.definition, version),
      get scope() {
        return scope();
      },
      during: (answer) => this.during(answer),
    };
  }

  /** The registry of the storage version. */
  get storageRegistry(): ResourceRegistry {
    const storage = this.definition.spec.versions.find((version) => version.storage);
    if (!storage) throw new Error('could not find storage version');
    return this.#scope(storage).registry;
  }

  /** Undefined before the first use of an object. */
  get cacheStats(): CacheStats | undefined {
    return this.#cache?.stats;
  }

  /** Keeps this definition running until `answer` settles. Watches are not included: they end with the cache. */
  async during<T>(answer: () => Promise<T>): Promise<T> {
    this.#underWay++;
    try {
      return await answer();
    } finally {
      this.#underWay--;
      if (this.#retired && this.#underWay === 0) this.stop();
    }
  }

  /** Called when this definition is replaced or withdrawn. Stops it after the last request in progress. */
  retire(): void {
    this.#retired = true;
    if (this.#underWay === 0) this.stop();
  }

  /** Stops the watch cache, which ends watches. */
  stop(): void {
    this.#cache?.stop();
  }

  #scope(version: CustomResourceDefinitionVersion): ResourceScope {
    let scope = this.#scopes.get(version.name);
    if (!scope) {
      const { services } = this.#options;
      const groupVersion = GroupVersion.of(this.definition.spec.group, version.name);
      const registry = this.#registry(version);
      scope = new ResourceScope(groupVersion, discoveredVersion(this.definition, version), registry, services);
      this.#scopes.set(version.name, scope);
    }
    return scope;
  }

  #registry(version: CustomResourceDefinitionVersion): ResourceRegistry {
    const { store, storeFor, root, codecs, random, now, clock, eventLoop } = this.#options;
    const definition = this.#resourceDefinition(version);
    const own = storeFor?.(this.groupResource) ?? store;
    return new ResourceRegistry(
      { definition, store: own, root, codecs, random, now, clock, eventLoop },
      this.#sharedCache(own),
    );
  }

  #sharedCache(store: Store): WatchCache<StoredObject> {
    const { root, clock, random, onCacheError } = this.#options;
    this.#cache ??= new WatchCache({
      store,
      prefix: `${root}/${this.#keyPrefix}`,
      decode: (entry, note) => decodeStored(this.#versionForms(), entry, note),
      sizeOf: ({ line }) => line.length,
      clock,
      random: random.number,
      ...(onCacheError && { onError: (error) => onCacheError(this.groupResource, error) }),
    });
    return this.#cache;
  }

  get #keyPrefix(): string {
    const { group, resource } = this.groupResource;
    return `${group}/${resource}/`;
  }

  #kind(version: string): GroupVersionKind {
    const { spec, status } = this.definition;
    return GroupVersion.of(spec.group, version).withKind(status?.acceptedNames?.kind || spec.names.kind);
  }

  /** The codecs and schemas of all versions. */
  #versionForms(): VersionForms {
    if (this.#forms) return this.#forms;
    const { spec } = this.definition;
    const forms = new Map<string, VersionForm>();
    let storage: VersionForm | undefined;
    for (const version of spec.versions) {
      const kind = this.#kind(version.name);
      const schema = compileCustomResourceSchema(version.schema?.openAPIV3Schema, {
        kind: kind.kind,
        eventLoop: this.#options.eventLoop,
        ...(spec.preserveUnknownFields && { preserveUnknownFields: true }),
      });
      const codec = new ObjectCodec(this.#plainDefinition(version, kind, schema), this.#options.codecs);
      const form = { apiVersion: kind.apiVersion, codec, schema };
      forms.set(kind.apiVersion, form);
      if (version.storage) storage = form;
    }
    if (!storage) throw new Error('could not find storage version');
    const converter =
      spec.conversion?.strategy === 'Webhook'
        ? webhookConverter(this.definition, this.#options.webhooks)
        : noneConverter;
    this.#conversions = new Conversions(converter);
    this.#forms = { forms, storage, converter };
    return this.#forms;
  }

  #resourceDefinition(version: CustomResourceDefinitionVersion): ResourceDefinition {
    const all = this.#versionForms();
    const kind = this.#kind(version.name);
    const own = all.forms.get(kind.apiVersion)!;
    return {
      ...this.#plainDefinition(version, kind, own.schema),
      versions: new VersionViews(all, own),
    };
  }

  /** The resource definition without the conversion between stored and served versions. */
  #plainDefinition(
    version: CustomResourceDefinitionVersion,
    kind: GroupVersionKind,
    schema: CustomResourceSchema,
  ): ResourceDefinition {
    const { spec, status } = this.definition;
    const { groupResource } = this;
    const namespaced = spec.scope === 'Namespaced';
    // The same in all versions, as they share the cache that indexes these fields.
    const selectable = spec.versions.flatMap(({ selectableFields = [] }) => selectableFields);
    return {
      groupResource,
      kind: kind.kind,
      listKind: status?.acceptedNames?.listKind || spec.names.listKind || `${kind.kind}List`,
      namespaced,
      hub: kind,
      // Registries see objects as views in their own version.
      storage: kind,
      keyPrefix: this.#keyPrefix,
      strategy: customResourceStrategy(kind, namespaced, version, schema, selectable),
      custom: this.#customType(version, schema),
      hooks: {
        beginCreate: async ({ metadata }) => {
          if (!this.#terminating()) return nothingReserved;
          throw newForbidden(
            groupResource,
            metadata?.name ?? '',
            'create not allowed while custom resource definition is terminating',
          );
        },
      },
      garbageCollection: 'background',
      equivalents: (subresource) => this.#equivalents(subresource),
      convert: (object, target) => this.#convert(object, target),
      schemaFor: (gvk) =>
        gvk.kind === kind.kind ? this.#versionForms().forms.get(gvk.apiVersion)?.schema.structSchema : undefined,
    };
  }

  #convert(object: KubernetesObject, target: GroupVersion): KubernetesObject {
    this.#versionForms();
    return this.#conversions!.convert(object, target.toString());
  }

  /** All versions of the resource that have the subresource. */
  #equivalents(subresource: string): ReturnType<NonNullable<ResourceDefinition['equivalents']>> {
    const { spec } = this.definition;
    return spec.versions
      .filter(({ subresources }) => subresource === '' || subresources?.[subresource as 'status' | 'scale'])
      .map(({ name }) => ({
        resource: GroupVersion.of(spec.group, name).withResource(this.groupResource.resource),
        kind: subresource === 'scale' ? GroupVersion.of('autoscaling', 'v1').withKind('Scale') : this.#kind(name),
      }));
  }

  #customType(version: CustomResourceDefinitionVersion, schema: CustomResourceSchema): CustomType {
    const { spec } = this.definition;
    const namespaced = spec.scope === 'Namespaced';
    const selectable = new Set(version.selectableFields?.map(selectableName));
    const apiVersion = (name: string): string => `${spec.group}/${name}`;
    const scale = scalePaths(this.definition, version);
    return {
      prune: (object) => schema.prune(asFields(object)),
      setDefaults: (object) => schema.default(asFields(object)),
      fieldLabel: (label, value) => {
        const isKnown =
          label === 'metadata.name' || (namespaced && label === 'metadata.namespace') || selectable.has(label);
        if (!isKnown) throw new Error(`field label not supported: ${label}`);
        return { label, value };
      },
      resetFields: (subresource) => {
        if (subresource === 'status') {
          const withStatus = spec.versions.filter(({ subresources }) => subresources?.status);
          return new Map(withStatus.map(({ name }) => [apiVersion(name), ['metadata', 'spec']]));
        }
        const isReset = subresource === '' && version.subresources?.status;
        return new Map(isReset ? [[apiVersion(version.name), ['status']]] : []);
      },
      ...(scale && { scale }),
      ...(spec.conversion?.strategy === 'Webhook' && {
        whileConverting: <T>(run: () => Steps<T>, turns?: Turns) => this.#conversions!.run(run, turns),
      }),
    };
  }
}

function scalePaths(
  { spec }: CustomResourceDefinition,
  { subresources }: CustomResourceDefinitionVersion,
): ScalePaths | undefined {
  const { scale } = subresources ?? {};
  if (!scale) return undefined;
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = scale;
  return {
    specReplicas: splitPath(specReplicasPath),
    statusReplicas: splitPath(statusReplicasPath),
    ...(labelSelectorPath && { labelSelector: splitPath(labelSelectorPath) }),
    replicasByVersion: new Map(
      spec.versions.map(({ name, subresources: other }) => [
        `${spec.group}/${name}`,
        other?.scale ? splitPath(other.scale.specReplicasPath) : null,
      ]),
    ),
  };
}
