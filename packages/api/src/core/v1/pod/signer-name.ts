import {
  type ErrorList,
  invalid,
  isDns1123Label,
  isDns1123Subdomain,
  isLongerThan,
  nameIsDnsSubdomain,
  type Path,
  quote,
  required,
  tooLong,
} from '@coxswain/apimachinery';

const maxDomainLength = 253;
/** The lengths of a domain, a slash, a namespace's name, a dot and a resource's name. */
const maxSignerNameLength = maxDomainLength + 1 + 63 + 1 + 253;

/** Reports whether the signer belongs to Kubernetes itself. */
export function isKubernetesSignerName(signerName: string): boolean {
  const host = signerName.split('/', 1)[0]!;
  return host === 'kubernetes.io' || host.endsWith('.kubernetes.io');
}

/** Validates a name of the form `example.com/signer-name`. */
export function validateSignerName(path: Path, signerName: string): ErrorList {
  if (!signerName) return [required(path)];
  const segments = signerName.split('/');
  if (segments.length !== 2)
    return [
      invalid(path, signerName, "must be a fully qualified domain and path of the form 'example.com/signer-name'"),
    ];
  const [domain, name] = segments as [string, string];
  const errors: ErrorList = [];
  if (isLongerThan(domain, maxDomainLength)) errors.push(tooLong(path, maxDomainLength));
  errors.push(...firstBadLabel(path, domain, isDns1123Label));
  if (!domain.includes('.'))
    errors.push(invalid(path, domain, 'should be a domain with at least two segments separated by dots'));
  errors.push(...firstBadLabel(path, name, isDns1123Subdomain));
  if (isLongerThan(signerName, maxSignerNameLength)) errors.push(tooLong(path, maxSignerNameLength));
  return errors;
}

/** Reports only the first invalid label: errors of further ones would repeat it. */
function firstBadLabel(path: Path, segment: string, check: (label: string) => string[]): ErrorList {
  for (const label of segment.split('.')) {
    const messages = check(label);
    if (messages.length > 0)
      return messages.map((message) => invalid(path, segment, `validating label ${quote(label)}: ${message}`));
  }
  return [];
}

/** Validates the name of a ClusterTrustBundle, which has its signer's name as prefix if it has a signer. */
export function validateClusterTrustBundleName(signerName: string, name: string, prefix: boolean): string[] {
  if (!signerName)
    return name.includes(':')
      ? ['ClusterTrustBundle without signer name must not have ":" in its name']
      : nameIsDnsSubdomain(name, prefix);
  const requiredPrefix = `${signerName.replaceAll('/', ':')}:`;
  return name.startsWith(requiredPrefix)
    ? nameIsDnsSubdomain(name.slice(requiredPrefix.length), prefix)
    : [`ClusterTrustBundle for signerName ${signerName} must be named with prefix ${requiredPrefix}`];
}

/** Returns the signer in the name of a ClusterTrustBundle; empty when it has none. */
export function signerNameOfClusterTrustBundle(name: string): string {
  const end = name.lastIndexOf(':');
  return end < 0 ? '' : name.slice(0, end).replaceAll(':', '/');
}
