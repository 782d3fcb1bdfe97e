import type { CertificateRequest } from '@coxswain/apimachinery/x509';

const clientUsages = ['client auth', 'digital signature', 'key encipherment'];
const servingUsages = ['digital signature', 'key encipherment', 'server auth'];

/** Returns why a kubelet may not have this client certificate, or undefined when it may. */
export function kubeletClientProblem(request: CertificateRequest, usages: readonly string[]): string | undefined {
  if (!isOfNodes(request)) return 'subject organization is not system:nodes';
  if (request.dnsNames.length > 0) return 'DNS subjectAltNames are not allowed';
  if (request.emailAddresses.length > 0) return 'Email subjectAltNames are not allowed';
  if (request.ipAddresses.length > 0) return 'IP subjectAltNames are not allowed';
  if (request.uris.length > 0) return 'URI subjectAltNames are not allowed';
  return commonNameProblem(request) ?? usagesProblem(usages, clientUsages);
}

/** Returns why a kubelet may not have this serving certificate, or undefined when it may. */
export function kubeletServingProblem(request: CertificateRequest, usages: readonly string[]): string | undefined {
  if (!isOfNodes(request)) return 'subject organization is not system:nodes';
  if (request.dnsNames.length + request.ipAddresses.length === 0) return 'DNS or IP subjectAltName is required';
  if (request.emailAddresses.length > 0) return 'Email subjectAltNames are not allowed';
  if (request.uris.length > 0) return 'URI subjectAltNames are not allowed';
  return usagesProblem(usages, servingUsages) ?? commonNameProblem(request);
}

const isOfNodes = ({ subject: { organizations } }: CertificateRequest): boolean =>
  organizations.length === 1 && organizations[0] === 'system:nodes';

const commonNameProblem = ({ subject: { commonName } }: CertificateRequest): string | undefined =>
  commonName.startsWith('system:node:') ? undefined : 'subject common name does not begin with system:node:';

/** The usage `key encipherment` is optional, because only RSA keys have it. */
function usagesProblem(usages: readonly string[], required: readonly string[]): string | undefined {
  const given = new Set([...usages, 'key encipherment']);
  const isMatch = given.size === required.length && required.every((usage) => given.has(usage));
  return isMatch ? undefined : `usages did not match [${required.join(' ')}]`;
}
