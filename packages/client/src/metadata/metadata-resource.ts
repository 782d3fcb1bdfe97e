import type {
  DeleteOptions,
  GetOptions,
  ListOptions,
  PartialObjectMetadata,
  PartialObjectMetadataList,
  PatchOptions,
  Status,
} from '@coxswain/apimachinery/meta';
import { deleteCall, type ResourceCall, resourceRequest } from '../dynamic/resource-request.ts';
import type { CallOptions } from '../rest/call-options.ts';
import type { ResourceDescription } from '../rest/resource.ts';
import type { PatchBodies, PatchType, ResourceInterface } from '../rest/resource-interface.ts';
import type { RESTClient } from '../rest/rest-client.ts';
import type { Watch } from '../watch/watch.ts';
import { metadataWatch } from './metadata-watch.ts';
import { partialList, partialObject } from './partial-object.ts';

/** The metadata of one resource's objects. Every object it gives says that it is a PartialObjectMetadata. */
export interface MetadataResourceInterface
  extends Pick<
    ResourceInterface<PartialObjectMetadata>,
    'resource' | 'namespace' | 'get' | 'list' | 'watch' | 'patch' | 'delete' | 'deleteCollection'
  > {
  /** The same in one namespace; in all, when that is empty. */
  inNamespace(namespace: string): MetadataResourceInterface;
}

const accept = (kind: string): string => `application/json;as=${kind};g=meta.k8s.io;v=v1,application/json`;
const acceptObject = { accept: accept('PartialObjectMetadata') };
const acceptList = { accept: accept('PartialObjectMetadataList') };

/** Asks servers for metadata only; of those that do not know how, it takes the whole and drops the rest. */
export class MetadataResource implements MetadataResourceInterface {
  readonly resource: ResourceDescription;
  readonly namespace: string | undefined;
  readonly #rest: RESTClient;

  constructor(rest: RESTClient, resource: ResourceDescription, namespace?: string) {
    this.#rest = rest;
    this.resource = resource;
    this.namespace = namespace === '' ? undefined : namespace;
  }

  inNamespace(namespace: string): MetadataResource {
    return new MetadataResource(this.#rest, this.resource, namespace);
  }

  async get(name: string, options?: GetOptions & CallOptions): Promise<PartialObjectMetadata> {
    return partialObject(await this.#send('GET', { name, options, headers: acceptObject }));
  }

  async list(options?: ListOptions & CallOptions): Promise<PartialObjectMetadataList> {
    return partialList(await this.#send('GET', { options, headers: acceptList }));
  }

  async watch(options: ListOptions & CallOptions = {}): Promise<Watch<PartialObjectMetadata>> {
    const call = { ...this.#here, options: { ...options, watch: true }, headers: acceptObject };
    return metadataWatch(await this.#rest.watch(resourceRequest('GET', call)));
  }

  async patch<P extends PatchType>(
    name: string,
    type: P,
    patch: PatchBodies<PartialObjectMetadata>[P],
    { subresource, ...options }: PatchOptions & CallOptions & { readonly subresource?: string } = {},
  ): Promise<PartialObjectMetadata> {
    const headers = { ...acceptObject, 'content-type': `application/${type}-patch+json` };
    const subresources = subresource === undefined ? [] : [subresource];
    return partialObject(await this.#send('PATCH', { name, subresources, options, headers, body: patch }));
  }

  /** Answers a Status, or the object when it only begins to go; that in whole. */
  async delete(name: string, options: DeleteOptions & CallOptions = {}): Promise<PartialObjectMetadata | Status> {
    return this.#send('DELETE', { name, ...deleteCall(options) });
  }

  async deleteCollection(
    options: DeleteOptions & CallOptions = {},
    which: ListOptions = {},
  ): Promise<PartialObjectMetadataList | Status> {
    const { options: call, body } = deleteCall(options);
    return this.#send('DELETE', { options: { ...which, ...call }, body });
  }

  get #here(): { resource: ResourceDescription; namespace: string | undefined } {
    return { resource: this.resource, namespace: this.namespace };
  }

  #send<T>(method: string, call: Omit<ResourceCall, 'resource' | 'namespace'>): Promise<T> {
    return this.#rest.request(resourceRequest(method, { ...this.#here, ...call }));
  }
}
