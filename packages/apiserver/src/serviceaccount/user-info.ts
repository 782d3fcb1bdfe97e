import type { UserInfo } from '@coxswain/api';
import { validateNamespaceName, validateServiceAccountName } from '@coxswain/apimachinery';
import type { ClaimedObject } from './claims.ts';

const prefix = 'system:serviceaccount:';

/** Returns the user name of a service account: `system:serviceaccount:<namespace>:<name>`. */
export const serviceAccountUsername = (namespace: string, name: string): string => `${prefix}${namespace}:${name}`;

/** Returns the service account of a user name, or undefined when it is not one. */
export function splitServiceAccountUsername(username: string): { namespace: string; name: string } | undefined {
  if (!username.startsWith(prefix)) return undefined;
  const [namespace, name, more] = username.slice(prefix.length).split(':', 3);
  if (namespace === undefined || name === undefined || more !== undefined) return undefined;
  const isValid =
    validateNamespaceName(namespace, false).length === 0 && validateServiceAccountName(name, false).length === 0;
  return isValid ? { namespace, name } : undefined;
}

export interface ServiceAccountIdentity {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly pod?: ClaimedObject;
  readonly node?: ClaimedObject;
  /** The `jti` of the token. */
  readonly tokenId?: string;
}

/** Returns the user of a service account. `extra` has the pod, node and ID of its token. */
export function serviceAccountUser({ namespace, name, uid, pod, node, tokenId }: ServiceAccountIdentity): UserInfo {
  const extra: Record<string, string[]> = {};
  const add = (key: string, value: string | undefined): void => {
    if (value) extra[`authentication.kubernetes.io/${key}`] = [value];
  };
  if (pod?.name && pod.uid) {
    add('pod-name', pod.name);
    add('pod-uid', pod.uid);
  }
  if (tokenId) add('credential-id', `JTI=${tokenId}`);
  if (node?.name) {
    add('node-name', node.name);
    add('node-uid', node.uid);
  }
  return {
    username: serviceAccountUsername(namespace, name),
    uid,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`],
    ...(Object.keys(extra).length > 0 && { extra }),
  };
}
