import { type ErrorList, invalid, type Path, required } from '../field/index.ts';
import { isDns1123Label, isDns1123Subdomain } from './dns.ts';
import { isQualifiedName } from './label-format.ts';
import { regexError } from './messages.ts';
import { matcher } from './string-format.ts';

/** Requires a domain of three parts or more, such as a webhook's name. */
export function isFullyQualifiedName(path: Path, name: string): ErrorList {
  if (name === '') return [required(path)];
  const messages = isDns1123Subdomain(name);
  if (messages.length > 0) return [invalid(path, name, messages.join(','))];
  if (name.split('.', 3).length < 3) {
    return [invalid(path, name, 'should be a domain with at least three segments separated by dots')];
  }
  return [];
}

/** Requires a domain of two parts or more, each a valid label. A dot at the end is allowed and not counted. */
export function isFullyQualifiedDomainName(path: Path, name: string): ErrorList {
  if (name === '') return [required(path)];
  const domain = name.endsWith('.') ? name.slice(0, -1) : name;
  const messages = isDns1123Subdomain(domain);
  if (messages.length > 0) return [invalid(path, domain, messages.join(','))];
  const labels = domain.split('.');
  if (labels.length < 2) {
    return [invalid(path, domain, 'should be a domain with at least two segments separated by dots')];
  }
  for (const label of labels) {
    const problems = isDns1123Label(label);
    if (problems.length > 0) return [invalid(path, label, problems.join(','))];
  }
  return [];
}

const httpPath = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const isHTTPPath = matcher(httpPath);

/** Requires a path such as `acme.io/some/path`, for example in a job's `managedBy`. */
export function isDomainPrefixedPath(path: Path, value: string): ErrorList {
  if (value === '') return [required(path)];
  const slash = value.indexOf('/');
  if (slash <= 0 || slash === value.length - 1) {
    return [invalid(path, value, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  }
  const host = value.slice(0, slash);
  const rest = value.slice(slash + 1);
  const errors = isDns1123Subdomain(host).map((message) => invalid(path, host, message));
  if (!isHTTPPath(rest)) errors.push(invalid(path, rest, regexError('Invalid path', httpPath)));
  return errors;
}

/** Requires a key such as `acme.io/foo`: a qualified name whose prefix is not optional. */
export function isDomainPrefixedKey(path: Path, key: string): ErrorList {
  if (key === '') return [required(path)];
  const messages = isQualifiedName(key);
  if (messages.length > 0) return messages.map((message) => invalid(path, key, message));
  return key.includes('/') ? [] : [invalid(path, key, 'must be a domain-prefixed key (such as "acme.io/foo")')];
}
