import type { OwnerReference } from '@coxswain/apimachinery/meta';

/** Which object is meant: where it is said to be, and which one of those that were there over time. */
export interface Identity {
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for objects without one. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** Whom a reference means, if it is in that namespace. */
export const referred = ({ apiVersion, kind, name, uid }: OwnerReference, namespace: string): Identity => ({
  apiVersion,
  kind,
  namespace,
  name,
  uid,
});

/** Whether the reference says of the object what it is; references tell of no namespace. */
export const refersTo = (reference: OwnerReference, { apiVersion, kind, name, uid }: Identity): boolean =>
  reference.uid === uid && reference.name === name && reference.kind === kind && reference.apiVersion === apiVersion;

export const isSame = (a: Identity, b: Identity): boolean => refersTo(a, b) && a.namespace === b.namespace;

/** Equal for those that are the same, and for no others: none of the parts has a slash, but for the first. */
export const identityKey = ({ apiVersion, kind, namespace, name, uid }: Identity): string =>
  `${uid}/${namespace}/${name}/${kind}/${apiVersion}`;

/** For people. */
export const describeIdentity = ({ apiVersion, kind, namespace, name, uid }: Identity): string =>
  `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;

/** An order in which all identities that one object may have can be tried, kind by kind. */
export function compareIdentities(a: Identity, b: Identity): number {
  for (const part of ['kind', 'apiVersion', 'namespace', 'name', 'uid'] as const) {
    if (a[part] !== b[part]) return a[part] < b[part] ? -1 : 1;
  }
  return 0;
}
