import type { Scale } from '@coxswain/api/autoscaling/v1';
import {
  type GetOptions,
  GroupResource,
  type GroupVersionKind,
  type GroupVersionResource,
  type MetaGroupResource,
  type PatchOptions,
  type UpdateOptions,
} from '@coxswain/apimachinery/meta';
import { CachedDiscovery } from '../discovery/cached-discovery.ts';
import { DeferredRESTMapper } from '../discovery/deferred-rest-mapper.ts';
import { DiscoveryClient } from '../discovery/discovery-client.ts';
import type { CachedDiscoveryInterface } from '../discovery/discovery-interface.ts';
import { resourceRequest } from '../dynamic/resource-request.ts';
import type { CallOptions } from '../rest/call-options.ts';
import type { PatchBodies, PatchType } from '../rest/resource-interface.ts';
import type { RESTClient } from '../rest/rest-client.ts';
import { scaleKindFor } from './scale-kind.ts';

export interface ScaleClientOptions {
  /** Default: a new discovery cache in memory. */
  readonly discovery?: CachedDiscoveryInterface;
  /** Default: a mapper with that discovery. */
  readonly mapper?: DeferredRESTMapper;
}

/** Scales of resources in one namespace, or of cluster-scoped resources. */
export interface ScaleInterface {
  get(resource: MetaGroupResource, name: string, options?: GetOptions & CallOptions): Promise<Scale>;
  /** Sets the number of replicas. With a resourceVersion, only if the object has not been changed since. */
  update(resource: MetaGroupResource, scale: Scale, options?: UpdateOptions & CallOptions): Promise<Scale>;
  patch<P extends PatchType>(
    resource: MetaGroupResource,
    name: string,
    type: P,
    patch: PatchBodies<Scale>[P],
    options?: PatchOptions & CallOptions,
  ): Promise<Scale>;
}

/**
 * Reads and sets the number of replicas of any scalable resource: Deployments, StatefulSets, custom resources with
 * a scale subresource. The resource is given without its version, which discovery finds; short names are allowed.
 *
 * ```ts
 * const scale = await scales.inNamespace('default').get({ group: 'apps', resource: 'deployments' }, 'web');
 * ```
 */
export class ScaleClient implements ScaleInterface {
  readonly #rest: RESTClient;
  readonly #discovery: CachedDiscoveryInterface;
  readonly #mapper: DeferredRESTMapper;
  readonly #namespace: string | undefined;

  constructor(rest: RESTClient, options: ScaleClientOptions = {}, namespace?: string) {
    this.#rest = rest;
    this.#discovery = options.discovery ?? new CachedDiscovery(new DiscoveryClient(rest));
    this.#mapper = options.mapper ?? new DeferredRESTMapper(this.#discovery);
    this.#namespace = namespace === '' ? undefined : namespace;
  }

  inNamespace(namespace: string): ScaleInterface {
    return new ScaleClient(this.#rest, { discovery: this.#discovery, mapper: this.#mapper }, namespace);
  }

  async get(resource: MetaGroupResource, name: string, options: GetOptions & CallOptions = {}): Promise<Scale> {
    return this.#send('GET', await this.#resolve(resource, options), { name, options });
  }

  async update(resource: MetaGroupResource, scale: Scale, options: UpdateOptions & CallOptions = {}): Promise<Scale> {
    const found = await this.#resolve(resource, options);
    const { name } = scale.metadata;
    if (!name) throw new Error('name is required');
    const kind = await scaleKindFor(this.#discovery, found, options);
    if (!isAutoscalingV1(kind.apiVersion, kind.kind)) throw new UnknownScaleError(found, kind);
    return this.#send('PUT', found, {
      name,
      options,
      body: { kind: kind.kind, apiVersion: kind.apiVersion, ...scale },
    });
  }

  async patch<P extends PatchType>(
    resource: MetaGroupResource,
    name: string,
    type: P,
    patch: PatchBodies<Scale>[P],
    options: PatchOptions & CallOptions = {},
  ): Promise<Scale> {
    const headers = { 'content-type': `application/${type}-patch+json` };
    return this.#send('PATCH', await this.#resolve(resource, options), { name, options, headers, body: patch });
  }

  /** Returns the resource in the server's preferred version. */
  #resolve({ group, resource }: MetaGroupResource, options: CallOptions): Promise<GroupVersionResource> {
    return this.#mapper.resourceFor(GroupResource.of(group, resource).withVersion(''), options);
  }

  async #send(
    method: string,
    resource: GroupVersionResource,
    call: { name: string; options: CallOptions; headers?: Readonly<Record<string, string>>; body?: unknown },
  ): Promise<Scale> {
    const where = { resource, namespace: this.#namespace, subresources: ['scale'] };
    const scale = await this.#rest.request<Scale>(resourceRequest(method, { ...where, ...call }));
    if (!isAutoscalingV1(scale.apiVersion, scale.kind)) {
      throw new Error(
        `received an object from a /scale endpoint which was not convertible to autoscaling Scale: ${scale.apiVersion} ${scale.kind}`,
      );
    }
    return scale;
  }
}

/**
 * The resource's scale subresource has a kind older than autoscaling/v1.
 *
 * Differs from client-go, which still converts these: no server has them since v1.16.
 */
export class UnknownScaleError extends Error {
  override readonly name = 'UnknownScaleError';

  constructor(resource: GroupVersionResource, kind: GroupVersionKind) {
    super(`the scale subresource of ${resource} is not an autoscaling/v1 Scale but ${kind}`);
  }
}

const isAutoscalingV1 = (apiVersion: string | undefined, kind: string | undefined): boolean =>
  apiVersion === 'autoscaling/v1' && kind === 'Scale';
