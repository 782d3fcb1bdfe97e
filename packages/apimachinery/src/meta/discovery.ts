import type { TypeMeta } from './type-meta.ts';

/** What `/api` answers: the versions of the core group. */
export interface APIVersions extends TypeMeta {
  versions: string[];
  serverAddressByClientCIDRs: ServerAddressByClientCIDR[];
}

/** What `/apis` answers. */
export interface APIGroupList extends TypeMeta {
  groups: APIGroup[];
}

/** What `/apis/<group>` answers: versions, most preferred first. */
export interface APIGroup extends TypeMeta {
  name: string;
  versions: GroupVersionForDiscovery[];
  preferredVersion?: GroupVersionForDiscovery;
  serverAddressByClientCIDRs?: ServerAddressByClientCIDR[];
}

export interface GroupVersionForDiscovery {
  groupVersion: string;
  version: string;
}

export interface ServerAddressByClientCIDR {
  clientCIDR: string;
  serverAddress: string;
}

/** What `/api/v1` and `/apis/<group>/<version>` answer. */
export interface APIResourceList extends TypeMeta {
  groupVersion: string;
  resources: APIResource[];
}

export interface APIResource {
  /** The plural name; `pods/log` for a subresource. */
  name: string;
  singularName: string;
  namespaced: boolean;
  /** Where it differs from that of the list. */
  group?: string;
  version?: string;
  kind: string;
  verbs: string[];
  shortNames?: string[];
  categories?: string[];
  storageVersionHash?: string;
}
