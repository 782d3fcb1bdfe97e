import { isNotFound } from '@coxswain/apimachinery/errors';
import {
  type APIGroup,
  type APIGroupList,
  type APIResourceList,
  type APIVersions,
  GroupVersion,
  groupVersionPath,
} from '@coxswain/apimachinery/meta';
import { type AggregatedDiscovery, fromAggregatedDiscovery } from '@coxswain/apimachinery/restmapper';
import type { CallOptions } from '../rest/call-options.ts';
import type { RESTClient } from '../rest/rest-client.ts';
import { StaleGroupVersionError } from './discovery-errors.ts';
import type { DiscoveryInterface, ServerResources } from './discovery-interface.ts';
import { type DocumentOptions, type DocumentSource, ServerDocuments } from './document-source.ts';
import { groupVersionsOf, type OpenAPIDocument, type OpenAPIV3GroupVersion, type OpenAPIV3Index } from './open-api.ts';
import { namespacedOf, preferredOf } from './preferred-resources.ts';
import { resourcesOfGroups, serverResources } from './resources-of-groups.ts';
import type { VersionInfo } from './version-info.ts';

export interface DiscoveryClientOptions {
  /**
   * Use unaggregated discovery only, as servers before v1.26 need. By default it is used when the server does not
   * support aggregated discovery.
   */
  readonly legacyOnly?: boolean;
  /** Exclude the resources that only peer API servers of other versions serve. */
  readonly withoutPeers?: boolean;
}

const json = 'application/json';
const aggregated = (version: string): string => `${json};g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
const acceptAll = [aggregated('v2'), aggregated('v2beta1'), json].join(',');
const acceptWithoutPeers = `${aggregated('v2')};profile=nopeer,${acceptAll}`;

/** Timeout of a call when the options set none. */
const defaultTimeoutMs = 32_000;
/**
 * Number of times unaggregated discovery is read when some group versions fail: a group may have been removed between
 * the list of groups and the request for its resources.
 */
const attempts = 2;

/** The server's groups, and with aggregated discovery also its resources. */
interface GroupsAndMaybeResources {
  readonly groups: readonly APIGroup[];
  readonly resourceLists?: readonly APIResourceList[];
  readonly failed: ReadonlyMap<string, Error>;
}

/** The possible responses of `/api` and `/apis`. */
type GroupsDocument = (AggregatedDiscovery & { kind: 'APIGroupDiscoveryList' }) | APIGroupList | APIVersions;

/**
 * Reads discovery from the server. Responses of `/api` and `/apis` are kept with their ETag, so that unchanged ones are
 * not sent again.
 */
export class DiscoveryClient implements DiscoveryInterface {
  readonly #documents: DocumentSource;
  readonly #legacyOnly: boolean;
  readonly #accept: string;

  constructor(rest: RESTClient, { legacyOnly = false, withoutPeers = false }: DiscoveryClientOptions = {}) {
    this.#documents = new ServerDocuments(rest);
    this.#legacyOnly = legacyOnly;
    this.#accept = withoutPeers ? acceptWithoutPeers : acceptAll;
  }

  serverVersion(options?: CallOptions): Promise<VersionInfo> {
    return this.#get('/version', options);
  }

  async groups(options?: CallOptions): Promise<readonly APIGroup[]> {
    return (await this.#groupsAndMaybeResources(options)).groups;
  }

  async resourcesFor(groupVersion: string, options?: CallOptions): Promise<APIResourceList> {
    if (groupVersion === '') throw new Error("groupVersion shouldn't be empty");
    try {
      return await this.#get<APIResourceList>(groupVersionPath(GroupVersion.parse(groupVersion)), options);
    } catch (error) {
      // Aggregated API servers have no core group.
      if (groupVersion === 'v1' && isNotFound(error)) return { groupVersion, resources: [] };
      throw error;
    }
  }

  async serverGroupsAndResources(options?: CallOptions): Promise<ServerResources> {
    for (let attempt = 1; ; attempt++) {
      const { groups, resourceLists, failed } = await this.#groupsAndMaybeResources(options);
      if (resourceLists) return serverResources(groups, resourceLists, failed);
      const result = await resourcesOfGroups(this, groups, options);
      if (!result.failure || attempt === attempts) return result;
    }
  }

  async preferredResources(options?: CallOptions): Promise<ServerResources> {
    return preferredOf(await this.serverGroupsAndResources(options));
  }

  async preferredNamespacedResources(options?: CallOptions): Promise<ServerResources> {
    return namespacedOf(await this.preferredResources(options));
  }

  openAPIV2(options?: CallOptions): Promise<OpenAPIDocument> {
    return this.#get('/openapi/v2', options);
  }

  async openAPIV3(options?: CallOptions): Promise<ReadonlyMap<string, OpenAPIV3GroupVersion>> {
    return groupVersionsOf(await this.#get<OpenAPIV3Index>('/openapi/v3', options), this.#documents);
  }

  async #groupsAndMaybeResources(options?: CallOptions): Promise<GroupsAndMaybeResources> {
    const accept = this.#legacyOnly ? json : this.#accept;
    const [core, others] = await Promise.all([
      // Aggregated API servers have no core group.
      this.#get<GroupsDocument>('/api', { accept, keep: true, ...options }).catch((error: unknown) => {
        if (isNotFound(error)) return undefined;
        throw error;
      }),
      this.#get<GroupsDocument>('/apis', { accept, keep: true, ...options }),
    ]);
    const documents = core ? [core, others] : [others];
    if (!documents.every(isAggregated)) return { groups: documents.flatMap(groupsOf), failed: new Map() };
    return { ...fromAggregatedDiscovery(...documents), failed: staleVersions(documents) };
  }

  #get<T>(path: string, options?: DocumentOptions): Promise<T> {
    return this.#documents.get<T>(path, { timeoutMs: defaultTimeoutMs, ...options });
  }
}

const isAggregated = (document: GroupsDocument): document is AggregatedDiscovery & { kind: 'APIGroupDiscoveryList' } =>
  document.kind === 'APIGroupDiscoveryList';

/** The groups of a document, whichever of the three forms it has. */
function groupsOf(document: GroupsDocument): readonly APIGroup[] {
  if ('groups' in document) return document.groups;
  if (!('versions' in document)) return fromAggregatedDiscovery(document).groups;
  const versions = document.versions.map((version) => ({ groupVersion: version, version }));
  return [{ name: '', versions, ...(versions[0] && { preferredVersion: versions[0] }) }];
}

function staleVersions(documents: readonly AggregatedDiscovery[]): Map<string, Error> {
  const stale = new Map<string, Error>();
  for (const { metadata, versions = [] } of documents.flatMap(({ items }) => items)) {
    for (const { version, freshness } of versions) {
      if (freshness !== 'Stale') continue;
      const groupVersion = GroupVersion.of(metadata?.name ?? '', version).toString();
      stale.set(groupVersion, new StaleGroupVersionError(groupVersion));
    }
  }
  return stale;
}
