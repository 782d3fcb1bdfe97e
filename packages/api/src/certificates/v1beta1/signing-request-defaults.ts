import { type CertificateRequest, readable } from '@coxswain/apimachinery/x509';
import type { CertificateSigningRequest, CertificateSigningRequestSpec } from '../../generated/certificates/v1beta1.ts';
import { parseRequest } from '../v1/request-pem.ts';
import { legacyUnknownSignerName } from '../v1/signing-request-validation.ts';

const sameSet = (a: readonly string[], b: readonly string[]): boolean =>
  new Set([...a, ...b]).size === new Set(a).size && new Set(a).size === b.length;

/**
 * Reports whether the usages are those that a kubelet requests: digital signature and the purpose, optionally with key
 * encipherment.
 */
const isFor = (purpose: string, usages: readonly string[]): boolean =>
  sameSet(usages, ['digital signature', purpose]) ||
  sameSet(usages, ['digital signature', 'key encipherment', purpose]);

/** Returns the signer for a kubelet's request; undefined for other requests, which must name theirs. */
function signerOf({ subject, ...names }: CertificateRequest, usages: readonly string[]): string | undefined {
  const { organizations, commonName } = subject;
  const isNode =
    organizations.length === 1 && organizations[0] === 'system:nodes' && commonName.startsWith('system:node:');
  const hasHosts = names.dnsNames.length > 0 || names.ipAddresses.length > 0;
  if (!isNode || names.emailAddresses.length > 0 || names.uris.length > 0) return undefined;
  if (!hasHosts && isFor('client auth', usages)) return 'kubernetes.io/kube-apiserver-client-kubelet';
  return hasHosts && isFor('server auth', usages) ? 'kubernetes.io/kubelet-serving' : undefined;
}

function signerNameFor({ request, usages = [] }: CertificateSigningRequestSpec): string {
  const parsed = readable(() => parseRequest(request));
  return (parsed && signerOf(parsed, usages)) ?? legacyUnknownSignerName;
}

/** Sets the defaults of v1beta1: usages, signerName and the status of conditions, which v1 requires. */
export function setSigningRequestDefaults(request: CertificateSigningRequest): void {
  request.spec ??= {};
  request.spec.usages ??= ['digital signature', 'key encipherment'];
  request.spec.signerName ??= signerNameFor(request.spec);
  for (const condition of request.status?.conditions ?? []) condition.status ||= 'True';
}
