import type { OwnerReference } from '@coxswain/apimachinery/meta';

/** Identifies an object by its kind, namespace and name, and by uid among all objects that had this name over time. */
export interface Identity {
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** Returns the identity that a reference means when it is resolved in that namespace. */
export const referred = ({ apiVersion, kind, name, uid }: OwnerReference, namespace: string): Identity => ({
  apiVersion,
  kind,
  namespace,
  name,
  uid,
});

/** Whether the reference matches the object. References have no namespace, so it is not compared. */
export const refersTo = (reference: OwnerReference, { apiVersion, kind, name, uid }: Identity): boolean =>
  reference.uid === uid && reference.name === name && reference.kind === kind && reference.apiVersion === apiVersion;

export const isSame = (a: Identity, b: Identity): boolean => refersTo(a, b) && a.namespace === b.namespace;

/** Returns a unique key. No part contains a slash except `apiVersion`, which is last. */
export const identityKey = ({ apiVersion, kind, namespace, name, uid }: Identity): string =>
  `${uid}/${namespace}/${name}/${kind}/${apiVersion}`;

/** Formats the identity for messages. */
export const describeIdentity = ({ apiVersion, kind, namespace, name, uid }: Identity): string =>
  `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;

/** A total order of identities, by which the possible identities of an object are tried. */
export function compareIdentities(a: Identity, b: Identity): number {
  for (const part of ['kind', 'apiVersion', 'namespace', 'name', 'uid'] as const) {
    if (a[part] !== b[part]) return a[part] < b[part] ? -1 : 1;
  }
  return 0;
}
