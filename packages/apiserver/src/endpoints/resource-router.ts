import { deprecationWarning, type GroupVersionResources, type Resource, type Subresource } from '@coxswain/api';
import {
  GroupResource,
  GroupVersion,
  type GroupVersionKind,
  type GroupVersionResource,
  newMethodNotSupported,
} from '@coxswain/apimachinery';
import type { ApiResponse } from '@coxswain/component-base/http';
import { notFoundResponse } from '@coxswain/component-base/http';
import { assertAccepts, genericError } from '../discovery/index.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { EquivalentResource } from '../registry/equivalent-resource.ts';
import type { ResourceRegistries } from '../registry/resource-registries.ts';
import { loadColumnTexts } from './column-texts.ts';
import { createResource } from './create.ts';
import { type CustomResource, handleCustom } from './custom-endpoints.ts';
import { deleteResource } from './delete.ts';
import { deleteCollection } from './delete-collection.ts';
import { getResource } from './get.ts';
import { listResource } from './list.ts';
import { patchResource } from './patch.ts';
import { isRouted } from './route-shape.ts';
import { getScale, patchScale, updateScale } from './scale.ts';
import { type EndpointServices, ResourceScope } from './scope.ts';
import { updateResource } from './update.ts';
import { watchResource } from './watch.ts';

/** Handles a request for a stored resource or a subresource of one. */
export type Endpoint = (context: RequestContext, scope: ResourceScope) => Promise<ApiResponse>;
/** Handles a request for a resource that is not stored, such as a review. */
export type VirtualEndpoint = (context: RequestContext, groupVersion: GroupVersion) => Promise<ApiResponse>;

/** Endpoints by verb. `*` is for all other verbs. */
export type Endpoints = Readonly<Record<string, Endpoint>>;
export type VirtualEndpoints = Readonly<Record<string, VirtualEndpoint>>;

const resourceEndpoints: Endpoints = {
  create: createResource,
  get: getResource,
  list: listResource,
  watch: watchResource,
  update: updateResource,
  patch: patchResource,
  delete: deleteResource,
  deletecollection: deleteCollection,
};

/** For subresources that are a part of the object: status, approval, resize … */
const partEndpoints: Endpoints = { get: getResource, update: updateResource, patch: patchResource };
const customEndpoints = (subresource: string): Endpoints =>
  subresource === '' ? resourceEndpoints : subresource === 'scale' ? scaleEndpoints : partEndpoints;
const scaleEndpoints: Endpoints = { get: getScale, update: updateScale, patch: patchScale };

export interface ResourceRouterOptions {
  readonly registries: ResourceRegistries;
  readonly services: EndpointServices;
  /** Resources that are not stored, such as `tokenreviews.authentication.k8s.io`. */
  readonly virtual: Readonly<Record<string, VirtualEndpoints>>;
  /** Subresources that are not a part of the object, such as `pods/binding`; with a group, `resource/subresource.group`. */
  readonly special: Readonly<Record<string, Endpoints>>;
}

interface Served {
  readonly resource: Resource;
  readonly groupVersion: GroupVersion;
  readonly scope: ResourceScope | undefined;
  /** The deprecation warning for every request. */
  readonly warning: string | undefined;
}

/** Routes a resource request to the endpoint of its verb. All stored resources share the same eight endpoints. */
export class ResourceRouter {
  readonly #options: ResourceRouterOptions;
  readonly #groups = new Set<string>();
  /** Built-in resources, by `groupVersion/resource`. */
  readonly #served = new Map<string, Served>();
  readonly #versions = new Set<string>();
  /** Custom resources, by `groupVersion/resource`. */
  readonly #custom = new Map<string, CustomResource>();

  constructor(served: readonly GroupVersionResources[], options: ResourceRouterOptions) {
    this.#options = options;
    const { registries, services } = options;
    for (const { group, version, resources } of served) {
      const groupVersion = GroupVersion.of(group, version);
      this.#groups.add(group);
      this.#versions.add(groupVersion.toString());
      for (const resource of resources) {
        const { groupResource } = groupVersion.withResource(resource.name);
        const registry = registries.registryFor(groupVersion, resource)?.as(groupResource);
        const scope = registry && new ResourceScope(groupVersion, resource, registry, services);
        const warning = deprecationWarning(groupVersion.withKind(resource.kind));
        this.#served.set(`${groupVersion}/${resource.name}`, { resource, groupVersion, scope, warning });
      }
    }
  }

  /** Returns whether the resource and subresource are served. */
  serves({ apiGroup, apiVersion, resource, subresource }: RequestContext['info']): boolean {
    const key = `${apiGroup === '' ? apiVersion : `${apiGroup}/${apiVersion}`}/${resource}`;
    const served = this.#served.get(key) ?? this.#custom.get(key);
    if (!served) return false;
    return subresource === '' || (served.resource.subresources?.some(({ name }) => name === subresource) ?? false);
  }

  /** Serves a custom resource, replacing an earlier definition of it. Running requests keep the one they started with. */
  setCustom(groupVersion: GroupVersion, resource: string, custom: CustomResource): void {
    this.#custom.set(`${groupVersion}/${resource}`, custom);
  }

  /** Returns whether the group version is built in, that is, served without a CustomResourceDefinition. */
  isBuiltIn(groupVersion: GroupVersion): boolean {
    return this.#versions.has(groupVersion.toString());
  }

  removeCustom(groupVersion: GroupVersion, resource: string): void {
    this.#custom.delete(`${groupVersion}/${resource}`);
  }

  /** Returns the scope of a built-in, stored resource. Throws an Error when it is not served. */
  scope(groupVersion: string, resource: string): ResourceScope {
    const scope = this.#served.get(`${groupVersion}/${resource}`)?.scope;
    if (!scope) throw new Error(`${resource} of ${groupVersion} is not served`);
    return scope;
  }

  /** Returns the kind of a resource, or undefined when it is not served. */
  kindFor({ groupVersion, resource }: GroupVersionResource): GroupVersionKind | undefined {
    const key = `${groupVersion}/${resource}`;
    const served = this.#served.get(key) ?? this.#custom.get(key);
    return served && groupVersion.withKind(served.resource.kind);
  }

  /** Returns the stored resource with that kind, or undefined when none is served. */
  ofKind({ groupVersion, kind }: GroupVersionKind): Pick<CustomResource, 'scope' | 'during'> | undefined {
    const prefix = `${groupVersion}/`;
    for (const [key, { resource, scope }] of this.#served)
      if (scope && resource.kind === kind && key.startsWith(prefix)) return { scope, during: (answer) => answer() };
    for (const [key, custom] of this.#custom)
      if (custom.resource.kind === kind && key.startsWith(prefix)) return custom;
    return undefined;
  }

  /** Returns all served resources (and subresources) that share the storage of the scope's, in order of preference. */
  equivalents({ registry }: ResourceScope, subresource: string): EquivalentResource[] {
    const found: EquivalentResource[] = [];
    for (const { resource, groupVersion, scope } of this.#served.values()) {
      if (scope?.registry.keys.prefix !== registry.keys.prefix) continue;
      const part = resource.subresources?.find(({ name }) => name === subresource);
      if (!part && subresource !== '') continue;
      const { group = groupVersion.group, version = groupVersion.version } = part ?? {};
      const { kind } = part ?? resource;
      found.push({ resource: scope.resource, kind: GroupVersion.of(group, version).withKind(kind) });
    }
    return found;
  }

  async handle(context: RequestContext): Promise<ApiResponse> {
    const { info, request } = context;
    const loading = loadColumnTexts(request);
    if (loading) await loading;
    const groupVersion = info.apiGroup === '' ? info.apiVersion : `${info.apiGroup}/${info.apiVersion}`;
    const served = this.#served.get(`${groupVersion}/${info.resource}`);
    if (!served) {
      const custom = this.#versions.has(groupVersion)
        ? undefined
        : this.#custom.get(`${groupVersion}/${info.resource}`);
      if (custom) return handleCustom(context, custom, customEndpoints);
      if (!this.#groups.has(info.apiGroup)) return notFoundResponse();
      throw genericError(404, request.method);
    }
    if (!isRouted(info, served.resource)) {
      if (!info.path.startsWith('/api/') && info.apiGroup === '') return notFoundResponse();
      throw genericError(404, request.method);
    }
    const endpoint = this.#endpoint(served, context);
    if (!choosesFormat(info))
      assertAccepts(context, info.verb === 'list' || info.verb === 'watch' ? listFormats : formats);
    if (served.warning) context.warn(served.warning);
    return endpoint(context);
  }

  #endpoint(served: Served, { info, request }: RequestContext): (context: RequestContext) => Promise<ApiResponse> {
    const { resource, scope, groupVersion } = served;
    const { subresource, verb, namespace, parts } = info;
    const notAllowed = (): Error => genericError(405, request.method);
    const isNamed = parts.length > 1;
    // The legacy watch paths need GET, and only proxies support HEAD.
    const isMethodOf = request.method === 'GET' || (verb !== 'watch' && request.method !== 'HEAD');
    if (!isMethodOf && subresource !== 'proxy') throw notAllowed();
    const key = groupVersion.group === '' ? resource.name : `${resource.name}.${groupVersion.group}`;
    if (subresource === '') {
      if (!scope) {
        const endpoints = this.#options.virtual[key] ?? {};
        if (isNamed && !endpoints.get) throw genericError(404, request.method);
        const endpoint = endpoints[verb];
        if (!endpoint && verb === 'watch' && endpoints.list) {
          return () => Promise.reject(newMethodNotSupported(GroupResource.of(groupVersion.group, resource.name), verb));
        }
        if (!endpoint) throw notAllowed();
        return (context) => endpoint(context, groupVersion);
      }
      const endpoint = resourceEndpoints[verb];
      // For namespaced resources, only list and watch work without a namespace.
      const misplaced = resource.namespaced && namespace === '' && verb !== 'list' && verb !== 'watch';
      // Update and patch need a name in the path, and create must not have one.
      const isOfOne = verb === 'update' || verb === 'patch';
      if (!endpoint || misplaced || (verb === 'create' && isNamed) || (isOfOne && !isNamed)) throw notAllowed();
      if (!resource.verbs.split(' ').includes(verb)) {
        if (verb === 'watch') throw newMethodNotSupported(scope.groupResource, verb);
        throw notAllowed();
      }
      return (context) => endpoint(context, scope);
    }
    const part = resource.subresources?.find((candidate) => candidate.name === subresource);
    if (!part || !scope) throw genericError(404, request.method);
    const partKey = `${resource.name}/${subresource}${key.slice(resource.name.length)}`;
    const endpoints = this.#partEndpoints(partKey, part, resource);
    const endpoint = allows(part, verb) || subresource === 'proxy' ? (endpoints[verb] ?? endpoints['*']) : undefined;
    if (!endpoint) throw notAllowed();
    return (context) => endpoint(context, scope);
  }

  #partEndpoints(key: string, part: Subresource, resource: Resource): Endpoints {
    const special = this.#options.special[key];
    if (special) return special;
    if (part.name === 'scale') return scaleEndpoints;
    return part.kind === resource.kind ? partEndpoints : {};
  }
}

const formats = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];
/** The last two are for watches, which share the path with lists. */
const listFormats = [...formats, 'application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch'];

/** Returns whether the response is not an API object, so its format is not negotiated: logs, streams and proxies. */
const choosesFormat = ({ subresource }: RequestContext['info']): boolean => subresource !== '' && raw.has(subresource);
const raw: ReadonlySet<string> = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);

const allows = ({ verbs }: Subresource, verb: string): boolean => verbs.split(' ').includes(verb);
