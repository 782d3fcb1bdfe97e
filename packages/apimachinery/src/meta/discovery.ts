import type { TypeMeta } from './type-meta.ts';

/** The response of `/api`: the versions of the core group. */
export interface APIVersions extends TypeMeta {
  versions: string[];
  serverAddressByClientCIDRs: ServerAddressByClientCIDR[];
}

/** The response of `/apis`. */
export interface APIGroupList extends TypeMeta {
  groups: APIGroup[];
}

/** The response of `/apis/<group>`: versions, most preferred first. */
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

/** The response of `/api/v1` and `/apis/<group>/<version>`. */
export interface APIResourceList extends TypeMeta {
  groupVersion: string;
  resources: APIResource[];
}

export interface APIResource {
  /** The plural name; `pods/log` for a subresource. */
  name: string;
  singularName: string;
  namespaced: boolean;
  /** Set where it differs from that of the list. */
  group?: string;
  version?: string;
  kind: string;
  verbs: string[];
  shortNames?: string[];
  categories?: string[];
  storageVersionHash?: string;
}
