import {
  byteLength,
  type ErrorList,
  invalid,
  invalidEach,
  isDns1123SubdomainWithUnderscore,
  isValidIPForLegacyField,
  type Path,
  required,
} from '@coxswain/apimachinery';
import type { PodDNSConfig } from '../../../generated/core/v1.ts';
import type { PodValidationOptions } from './validation-options.ts';

/** Limits of the resolvers of Linux. */
const maxNameservers = 3;
const maxSearchPaths = 32;
const maxSearchListLength = 2048;

export function validateDNSConfig(
  config: PodDNSConfig | undefined,
  dnsPolicy: string | undefined,
  path: Path,
  { features }: PodValidationOptions,
  errors: ErrorList,
): void {
  if (!config) {
    if (dnsPolicy === 'None') errors.push(required(path, 'must provide `dnsConfig` when `dnsPolicy` is None'));
    return;
  }
  const { nameservers = [], searches = [], options = [] } = config;
  const nameserversPath = path.child('nameservers');
  if (dnsPolicy === 'None' && nameservers.length === 0) {
    errors.push(required(nameserversPath, 'must provide at least one DNS nameserver when `dnsPolicy` is None'));
    return;
  }
  if (nameservers.length > maxNameservers)
    errors.push(invalid(nameserversPath, nameservers, `must not have more than ${maxNameservers} nameservers`));
  const strict = features.enabled('StrictIPCIDRValidation');
  nameservers.forEach((address, i) => {
    errors.push(...isValidIPForLegacyField(nameserversPath.index(i), address, strict, []));
  });
  const searchesPath = path.child('searches');
  if (searches.length > maxSearchPaths)
    errors.push(invalid(searchesPath, searches, `must not have more than ${maxSearchPaths} search paths`));
  if (byteLength(searches.join(' ')) > maxSearchListLength) {
    const detail = `must not have more than ${maxSearchListLength} characters (including spaces) in the search list`;
    errors.push(invalid(searchesPath, searches, detail));
  }
  searches.forEach((search, i) => {
    if (search === '.') return;
    const domain = search.endsWith('.') ? search.slice(0, -1) : search;
    invalidEach(searchesPath.index(i), domain, isDns1123SubdomainWithUnderscore(domain), errors);
  });
  options.forEach(({ name }, i) => {
    if (!name) errors.push(required(path.child('options').index(i), 'must not be empty'));
  });
}
