import {
  type ErrorList,
  invalid,
  isCIdentifier,
  isDns1123Label,
  isDns1123Subdomain,
  isLongerThan,
  type Path,
  required,
  tooLong,
} from '@coxswain/apimachinery';
import { validateCSIDriverName } from '../../core/v1/volume/volume-sources.ts';

const maxPoolNameLength = 253;
const maxIdLength = 32;
const maxDomainLength = 63;
/** The length of a domain, a slash and an identifier. */
export const maxQualifiedNameLength = maxDomainLength + 1 + maxIdLength;

type ValidateName = (name: string | undefined, path: Path) => ErrorList;

const eachProblem =
  (check: (name: string) => string[]): ValidateName =>
  (name = '', path) =>
    check(name).map((problem) => invalid(path, name, problem));

/** Validates the name of a driver, by the rules for CSI drivers. */
export const validateDriverName: ValidateName = (name = '', path) => validateCSIDriverName(name, path);
export const validateLabel: ValidateName = eachProblem(isDns1123Label);
export const validateSubdomain: ValidateName = eachProblem(isDns1123Subdomain);

/** Validates the name of a pool: DNS subdomains separated by slashes. */
export const validatePoolName: ValidateName = (name = '', path) => {
  if (name === '') return [required(path)];
  return [
    ...(isLongerThan(name, maxPoolNameLength) ? [tooLong(path, maxPoolNameLength)] : []),
    ...name.split('/').flatMap((part) => validateSubdomain(part, path)),
  ];
};

const validateIdentifier: ValidateName = (id = '', path) => [
  ...(isLongerThan(id, maxIdLength) ? [tooLong(path, maxIdLength)] : []),
  ...isCIdentifier(id).map((problem) => invalid(path, id, problem)),
];

/** Validates an identifier, with or without the domain of a driver. */
export const validateQualifiedName: ValidateName = (name = '', path) => {
  const [domain = '', id, ...more] = name.split('/');
  if (id === undefined) return validateIdentifier(domain, path);
  if (more.length > 0) return [];
  return [
    ...(domain === '' ? [invalid(path, '', 'the domain must not be empty')] : validateDriverName(domain, path)),
    ...(id === '' ? [invalid(path, '', 'the name must not be empty')] : validateIdentifier(id, path)),
  ];
};

export const validateFullyQualifiedName: ValidateName = (name = '', path) => {
  const errors = validateQualifiedName(name, path);
  if (name.includes('/')) return errors;
  return [...errors, invalid(path, name, 'a fully qualified name must be a domain and a name separated by a slash')];
};

/** Validates the ID of one share of a device. */
export const validateUid: ValidateName = (uid = '', path) => {
  const problem = uuidProblem(uid);
  if (problem) return [invalid(path, uid, `error validating uid: ${problem}`)];
  if (uid.length === 36 && uid === uid.toLowerCase()) return [];
  const detail =
    'uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters';
  return [invalid(path, uid, detail)];
};

const dashed = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Returns the error of Go's UUID library, which accepts four forms, distinguished by length. */
function uuidProblem(text: string): string | undefined {
  const prefix = 'urn:uuid:';
  const form = 'invalid UUID format';
  switch (text.length) {
    case 36:
      return dashed.test(text) ? undefined : form;
    case 36 + prefix.length:
      if (text.slice(0, prefix.length).toLowerCase() !== prefix) {
        return `invalid urn prefix: ${JSON.stringify(text.slice(0, prefix.length))}`;
      }
      return dashed.test(text.slice(prefix.length)) ? undefined : form;
    case 38:
      if (!/^\{.*\}$/.test(text)) return 'invalid bracketed UUID format';
      return dashed.test(text.slice(1, -1)) ? undefined : form;
    case 32:
      return /^[0-9a-f]*$/i.test(text) ? undefined : form;
    default:
      return `invalid UUID length: ${text.length}`;
  }
}
