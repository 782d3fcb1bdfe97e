import type {
  DeleteOptions,
  GetOptions,
  ListOptions,
  PartialObjectMetadata,
  PartialObjectMetadataList,
  PatchOptions,
  Status,
} from '@coxswain/apimachinery/meta';
import { ResourceCalls } from '../dynamic/resource-calls.ts';
import { deleteCall, resourceRequest } from '../dynamic/resource-request.ts';
import type { CallOptions } from '../rest/call-options.ts';
import type { PatchBodies, PatchType, ResourceInterface } from '../rest/resource-interface.ts';
import type { Watch } from '../watch/watch.ts';
import { metadataWatch } from './metadata-watch.ts';
import { partialList, partialObject } from './partial-object.ts';

/** A client for the metadata of one resource's objects. All returned objects have the kind PartialObjectMetadata. */
export interface MetadataResourceInterface
  extends Pick<
    ResourceInterface<PartialObjectMetadata>,
    'resource' | 'namespace' | 'get' | 'list' | 'watch' | 'patch' | 'delete'
  > {
  /** Resolves without a value, because servers return all deleted objects in full. */
  deleteCollection(options?: DeleteOptions & CallOptions, which?: ListOptions): Promise<void>;
  /** The same resource in one namespace; in all namespaces when the name is empty. */
  inNamespace(namespace: string): MetadataResourceInterface;
}

const accept = (kind: string): string => `application/json;as=${kind};g=meta.k8s.io;v=v1,application/json`;
const acceptObject = { accept: accept('PartialObjectMetadata') };
const acceptList = { accept: accept('PartialObjectMetadataList') };

/** Requests only metadata from the server. If the server returns full objects, drops everything else. */
export class MetadataResource extends ResourceCalls implements MetadataResourceInterface {
  inNamespace(namespace: string): MetadataResource {
    return new MetadataResource(this.rest, this.resource, namespace);
  }

  async get(name: string, options?: GetOptions & CallOptions): Promise<PartialObjectMetadata> {
    return partialObject(await this.send('GET', { name, options, headers: acceptObject }));
  }

  async list(options?: ListOptions & CallOptions): Promise<PartialObjectMetadataList> {
    return partialList(await this.send('GET', { options, headers: acceptList }));
  }

  async watch(options: ListOptions & CallOptions = {}): Promise<Watch<PartialObjectMetadata>> {
    return metadataWatch(await this.sendWatch(options, acceptObject));
  }

  async patch<P extends PatchType>(
    name: string,
    type: P,
    patch: PatchBodies<PartialObjectMetadata>[P],
    { subresource, ...options }: PatchOptions & CallOptions & { readonly subresource?: string } = {},
  ): Promise<PartialObjectMetadata> {
    const headers = { ...acceptObject, 'content-type': `application/${type}-patch+json` };
    const subresources = subresource === undefined ? [] : [subresource];
    return partialObject(await this.send('PATCH', { name, subresources, options, headers, body: patch }));
  }

  /** Returns a Status, or the full object when it is only marked for deletion. */
  async delete(name: string, options: DeleteOptions & CallOptions = {}): Promise<PartialObjectMetadata | Status> {
    return this.send('DELETE', { name, ...deleteCall(options) });
  }

  async deleteCollection(options: DeleteOptions & CallOptions = {}, which: ListOptions = {}): Promise<void> {
    const { options: call, body } = deleteCall(options);
    const { resource, namespace } = this;
    await this.rest.discard(resourceRequest('DELETE', { resource, namespace, options: { ...which, ...call }, body }));
  }
}
