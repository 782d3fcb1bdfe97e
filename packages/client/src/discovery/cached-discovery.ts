import { asApiError, isTooManyRequests } from '@coxswain/apimachinery/errors';
import type { APIGroup, APIResourceList } from '@coxswain/apimachinery/meta';
import type { CallOptions } from '../rest/call-options.ts';
import { TransportError } from '../transport/transport.ts';
import { serverFailure } from './discovery-errors.ts';
import type { CachedDiscoveryInterface, DiscoveryInterface, ServerResources } from './discovery-interface.ts';
import type { OpenAPIDocument, OpenAPIV3GroupVersion } from './open-api.ts';
import { namespacedOf, preferredOf } from './preferred-resources.ts';
import type { VersionInfo } from './version-info.ts';
import { waitFor } from './wait-for.ts';

/**
 * Caches discovery in memory. Concurrent callers share one request.
 *
 * A group version that is not in the cache may be new: `resourcesFor` reads discovery again before it rejects with
 * NotFound. Other changes are only seen after `invalidate`.
 *
 * Differs from client-go, whose cache never refreshes by itself, so that callers invalidate it periodically.
 */
export class CachedDiscovery implements CachedDiscoveryInterface {
  readonly #delegate: DiscoveryInterface;
  /** The read in progress. Its result is stored only if it is still the value of this field. */
  #loading: Promise<Contents> | undefined;
  #contents: Contents | undefined;
  #openAPIV3: Promise<ReadonlyMap<string, OpenAPIV3GroupVersion>> | undefined;
  /** Requested documents of `#openAPIV3` by URL. The URL contains a hash of the document. */
  #openAPIV3Documents = new Map<string, Promise<OpenAPIDocument>>();

  constructor(delegate: DiscoveryInterface) {
    this.#delegate = delegate;
  }

  fresh(): boolean {
    return this.#contents !== undefined;
  }

  invalidate(): void {
    this.#contents = undefined;
    this.#loading = undefined;
    this.#openAPIV3 = undefined;
    if (isCached(this.#delegate)) this.#delegate.invalidate();
  }

  /** Not cached. */
  serverVersion(options?: CallOptions): Promise<VersionInfo> {
    return this.#delegate.serverVersion(options);
  }

  async groups(options?: CallOptions): Promise<readonly APIGroup[]> {
    return (await this.#load(options)).all.groups;
  }

  async resourcesFor(groupVersion: string, options?: CallOptions): Promise<APIResourceList> {
    const mayBeOld = this.#contents !== undefined || this.#loading !== undefined;
    let contents = await this.#load(options);
    if (mayBeOld && !contents.has(groupVersion)) {
      // A concurrent caller may have refreshed the contents already.
      if (this.#contents === contents) this.invalidate();
      contents = await this.#load(options);
    }
    return contents.resourcesFor(groupVersion, options);
  }

  async serverGroupsAndResources(options?: CallOptions): Promise<ServerResources> {
    return (await this.#load(options)).all;
  }

  async preferredResources(options?: CallOptions): Promise<ServerResources> {
    return preferredOf(await this.serverGroupsAndResources(options));
  }

  async preferredNamespacedResources(options?: CallOptions): Promise<ServerResources> {
    return namespacedOf(await this.preferredResources(options));
  }

  /** Not cached: the document is large and rarely needed. */
  openAPIV2(options?: CallOptions): Promise<OpenAPIDocument> {
    return this.#delegate.openAPIV2(options);
  }

  async openAPIV3(options?: CallOptions): Promise<ReadonlyMap<string, OpenAPIV3GroupVersion>> {
    this.#openAPIV3 ??= this.#loadOpenAPIV3();
    return waitFor(this.#openAPIV3, options?.signal);
  }

  #load({ signal }: CallOptions = {}): Promise<Contents> {
    if (this.#contents) return Promise.resolve(this.#contents);
    if (!this.#loading) {
      const loading = this.#delegate.serverGroupsAndResources().then((all) => new Contents(all, this.#delegate));
      this.#loading = loading;
      const isOver = (contents?: Contents): void => {
        if (this.#loading !== loading) return;
        this.#loading = undefined;
        this.#contents = contents;
      };
      // The callers waiting for `loading` get its rejection.
      loading.then(isOver, () => isOver());
    }
    return waitFor(this.#loading, signal);
  }

  #loadOpenAPIV3(): Promise<ReadonlyMap<string, OpenAPIV3GroupVersion>> {
    const loading = this.#delegate.openAPIV3().then((groupVersions) => {
      const current = new Set([...groupVersions.values()].map(({ serverRelativeURL }) => serverRelativeURL));
      for (const url of this.#openAPIV3Documents.keys()) if (!current.has(url)) this.#openAPIV3Documents.delete(url);
      return new Map([...groupVersions].map(([path, groupVersion]) => [path, this.#cached(groupVersion)]));
    });
    loading.catch(() => {
      if (this.#openAPIV3 === loading) this.#openAPIV3 = undefined;
    });
    return loading;
  }

  #cached({ serverRelativeURL, document }: OpenAPIV3GroupVersion): OpenAPIV3GroupVersion {
    const documents = this.#openAPIV3Documents;
    return {
      serverRelativeURL,
      document(options) {
        let loading = documents.get(serverRelativeURL);
        if (!loading) {
          loading = document();
          documents.set(serverRelativeURL, loading);
          loading.catch(() => documents.delete(serverRelativeURL));
        }
        return waitFor(loading, options?.signal);
      },
    };
  }
}

/** The result of one read of discovery. */
class Contents {
  readonly #delegate: DiscoveryInterface;
  readonly all: ServerResources;
  readonly #lists: Map<string, APIResourceList>;

  constructor(all: ServerResources, delegate: DiscoveryInterface) {
    this.all = all;
    this.#delegate = delegate;
    this.#lists = new Map(all.resourceLists.map((list) => [list.groupVersion, list]));
  }

  has(groupVersion: string): boolean {
    return this.#lists.has(groupVersion) || this.all.failure?.groupVersions.has(groupVersion) === true;
  }

  /** Returns the resources of a group version. If reading it failed with a transient error, it is requested again. */
  async resourcesFor(groupVersion: string, options?: CallOptions): Promise<APIResourceList> {
    const known = this.#lists.get(groupVersion);
    if (known) return known;
    const failure = this.all.failure?.groupVersions.get(groupVersion);
    if (!failure) throw serverFailure(404);
    if (!isTransient(failure)) throw failure;
    const list = await this.#delegate.resourcesFor(groupVersion, options);
    this.#lists.set(groupVersion, list);
    return list;
  }
}

const isTransient = (error: Error): boolean =>
  error instanceof TransportError || (asApiError(error)?.code ?? 0) >= 500 || isTooManyRequests(error);

const isCached = (discovery: DiscoveryInterface): discovery is CachedDiscoveryInterface => 'invalidate' in discovery;
