import type {
  CreateOptions,
  DeleteOptions,
  GetOptions,
  KubernetesList,
  ListOptions,
  PatchOptions,
  Status,
  UpdateOptions,
} from '@coxswain/apimachinery/meta';
import type { ApplyConfiguration } from '../rest/apply-configuration.ts';
import type { CallOptions } from '../rest/call-options.ts';
import { ResourceClient } from '../rest/resource-client.ts';
import type {
  ApplyCallOptions,
  PatchBodies,
  PatchType,
  ResourceInterface,
  WithoutAnswers,
} from '../rest/resource-interface.ts';
import type { Watch } from '../watch/watch.ts';
import { ResourceCalls } from './resource-calls.ts';
import { deleteCall } from './resource-request.ts';
import type { Unstructured } from './unstructured.ts';

/**
 * All verbs on one resource without a type: in one namespace, in all namespaces, or cluster-scoped. The last arguments
 * name a subresource: `get('web', {}, 'scale')`.
 */
export interface DynamicResourceInterface extends ResourceInterface<Unstructured> {
  /** The same resource in one namespace; in all namespaces when the name is empty. */
  inNamespace(namespace: string): DynamicResourceInterface;
  get(name: string, options?: GetOptions & CallOptions, ...subresources: string[]): Promise<Unstructured>;
  /** With a subresource, the object's name is that of the parent object. */
  create(object: Unstructured, options?: CreateOptions & CallOptions, ...subresources: string[]): Promise<Unstructured>;
  update(object: Unstructured, options?: UpdateOptions & CallOptions, ...subresources: string[]): Promise<Unstructured>;
  patch<P extends PatchType>(
    name: string,
    type: P,
    patch: PatchBodies<Unstructured>[P],
    options?: PatchOptions & CallOptions & { readonly subresource?: string },
    ...subresources: string[]
  ): Promise<Unstructured>;
  apply(
    configuration: ApplyConfiguration<Unstructured>,
    options: ApplyCallOptions,
    ...subresources: string[]
  ): Promise<Unstructured>;
  applyStatus(configuration: ApplyConfiguration<Unstructured>, options: ApplyCallOptions): Promise<Unstructured>;
  delete(
    name: string,
    options?: DeleteOptions & CallOptions,
    ...subresources: string[]
  ): Promise<Unstructured | Status>;
}

/** Sends objects unchecked and returns the responses as they are. */
export class DynamicResource extends ResourceCalls implements DynamicResourceInterface {
  inNamespace(namespace: string): DynamicResource {
    return new DynamicResource(this.rest, this.resource, namespace);
  }

  withoutAnswers(): WithoutAnswers<Unstructured> {
    // The client may not know whether the resource is namespaced; `namespaced` only matters when a namespace is set.
    const resource = { ...this.resource, namespaced: this.namespace !== undefined };
    return new ResourceClient<Unstructured>(this.rest, resource, this.namespace).withoutAnswers();
  }

  async get(name: string, options?: GetOptions & CallOptions, ...subresources: string[]): Promise<Unstructured> {
    return this.send('GET', { name, subresources, options });
  }

  async list(options?: ListOptions & CallOptions): Promise<KubernetesList<Unstructured>> {
    return this.send('GET', { options });
  }

  async watch(options: ListOptions & CallOptions = {}): Promise<Watch<Unstructured>> {
    return this.sendWatch(options);
  }

  async create(
    object: Unstructured,
    options?: CreateOptions & CallOptions,
    ...subresources: string[]
  ): Promise<Unstructured> {
    const of = subresources.length > 0 ? { name: nameOf(object) } : {};
    return this.send('POST', { ...of, subresources, options, body: this.#typed(object, subresources) });
  }

  async update(
    object: Unstructured,
    options?: UpdateOptions & CallOptions,
    ...subresources: string[]
  ): Promise<Unstructured> {
    const body = this.#typed(object, subresources);
    return this.send('PUT', { name: nameOf(object), subresources, options, body });
  }

  updateStatus(object: Unstructured, options?: UpdateOptions & CallOptions): Promise<Unstructured> {
    return this.update(object, options, 'status');
  }

  async patch<P extends PatchType>(
    name: string,
    type: P,
    patch: PatchBodies<Unstructured>[P],
    { subresource, ...options }: PatchOptions & CallOptions & { readonly subresource?: string } = {},
    ...subresources: string[]
  ): Promise<Unstructured> {
    return this.send('PATCH', {
      name,
      subresources: subresource === undefined ? subresources : [subresource, ...subresources],
      options,
      headers: { 'content-type': `application/${type}-patch+json` },
      body: patch,
    });
  }

  async apply(
    configuration: ApplyConfiguration<Unstructured>,
    { subresource, ...options }: ApplyCallOptions,
    ...subresources: string[]
  ): Promise<Unstructured> {
    if ('managedFields' in configuration.metadata) {
      throw new Error('cannot apply an object with managed fields already set');
    }
    const all = subresource === undefined ? subresources : [subresource, ...subresources];
    return this.send('PATCH', {
      name: configuration.metadata.name,
      subresources: all,
      options,
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: this.#typed(configuration, all),
    });
  }

  applyStatus(configuration: ApplyConfiguration<Unstructured>, options: ApplyCallOptions): Promise<Unstructured> {
    return this.apply(configuration, options, 'status');
  }

  async delete(
    name: string,
    options: DeleteOptions & CallOptions = {},
    ...subresources: string[]
  ): Promise<Unstructured | Status> {
    return this.send('DELETE', { name, subresources, ...deleteCall(options) });
  }

  async deleteCollection(
    options: DeleteOptions & CallOptions = {},
    which: ListOptions = {},
  ): Promise<KubernetesList<Unstructured> | Status> {
    const { options: call, body } = deleteCall(options);
    return this.send('DELETE', { options: { ...which, ...call }, body });
  }

  /** Adds apiVersion and kind, if known. Objects from lists and caches lack them. */
  #typed(object: object, subresources: readonly string[]): object {
    const { group, version, kind } = this.resource;
    // A subresource other than status may have another kind.
    if (kind === '' || (subresources.length > 0 && subresources[0] !== 'status')) return object;
    return { apiVersion: group === '' ? version : `${group}/${version}`, kind, ...object };
  }
}

function nameOf(object: Unstructured): string {
  const name = object.metadata?.name;
  if (!name) throw new Error('name is required');
  return name;
}
