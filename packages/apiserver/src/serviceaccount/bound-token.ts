import { dateFromTime, GroupResource, type KubernetesObject, newNotFound } from '@coxswain/apimachinery';
import type { ClaimedObject, Claims } from './claims.ts';
import type { TokenObjects, TokenValidator, ValidatedToken } from './token-objects.ts';

/** The tolerated clock skew, also for the deletion timestamps of bound objects. */
const leewayMs = 60_000;

const invalidated = 'service account token has been invalidated';

/** Returns a validator for tokens of the TokenRequest API: checks their times, service account and bound object. */
export function boundTokenValidator(objects: TokenObjects, now: () => Date): TokenValidator {
  return (claims) => {
    const time = now().getTime();
    checkTimes(claims, time);
    const { namespace, serviceAccount, pod, secret, node, warnAfter } = claims.kubernetes;
    checkServiceAccount(objects, namespace, serviceAccount, time);
    if (secret) checkBound('secret', secret, objects.secrets.get(namespace, secret.name), time);
    if (pod) checkBound('pod', pod, objects.pods.get(namespace, pod.name), time);
    // The node of a pod-bound token is only informational.
    else if (node) checkBound('node', node, objects.nodes.get('', node.name), time);
    return {
      identity: { namespace, ...serviceAccount, pod, node, tokenId: claims.id },
      ...staleness(claims.subject, warnAfter, time),
    };
  };
}

function checkTimes({ notBefore, expiry, issuedAt }: Claims, now: number): void {
  if (notBefore !== undefined && now + leewayMs < notBefore * 1000)
    throw new Error('service account token is not valid yet');
  if (expiry !== undefined && now - leewayMs > expiry * 1000) throw new Error('service account token has expired');
  if (issuedAt !== undefined && now + leewayMs < issuedAt * 1000)
    throw new Error('service account token is issued in the future');
}

function checkServiceAccount(
  objects: TokenObjects,
  namespace: string,
  { name, uid }: ClaimedObject,
  now: number,
): void {
  if (name === '') throw new Error('resource name may not be empty');
  const found = objects.serviceAccounts.get(namespace, name);
  if (!found) throw newNotFound(GroupResource.of('', 'serviceaccounts'), name);
  if (found.metadata.uid !== uid)
    throw new Error(`service account UID (${found.metadata.uid ?? ''}) does not match claim (${uid})`);
  if (shouldBeGone(found, now)) throw new Error(`service account ${namespace}/${name} has been deleted`);
}

function checkBound(kind: string, claimed: ClaimedObject, found: KubernetesObject | undefined, now: number): void {
  if (!found) throw new Error(invalidated);
  const uid = found.metadata?.uid ?? '';
  if (uid !== claimed.uid)
    throw new Error(`${kind} UID (${uid}) does not match service account ${kind} ref claim (${claimed.uid})`);
  if (shouldBeGone(found, now)) throw new Error(invalidated);
}

function shouldBeGone({ metadata }: KubernetesObject, now: number): boolean {
  const deletion = metadata?.deletionTimestamp;
  return deletion !== undefined && deletion !== null && dateFromTime(deletion).getTime() < now - leewayMs;
}

function staleness(subject: string, warnAfter: number | undefined, now: number): Pick<ValidatedToken, 'annotations'> {
  if (!warnAfter || now <= warnAfter * 1000) return {};
  const seconds = Math.floor(now / 1000) - warnAfter;
  return {
    annotations: {
      'authentication.k8s.io/stale-token': `subject: ${subject}, seconds after warning threshold: ${seconds}`,
    },
  };
}
