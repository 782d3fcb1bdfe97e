import {
  duplicate,
  type ErrorList,
  emptyError,
  type FieldError,
  invalid,
  isDns1035Label,
  isDns1123Subdomain,
  nameIsDnsSubdomain,
  Path,
  regexError,
  required,
  validateLabelName,
} from '@coxswain/apimachinery';
import type {
  ServerStorageVersion,
  StorageVersion,
  StorageVersionCondition,
  StorageVersionStatus,
} from '../../generated/apiserverinternal/v1alpha1.ts';

const status = Path.of('status');

/** Validates a name, which must have the form `<group>.<resource>`. */
export function validateStorageVersionName(name: string): string[] {
  const dot = name.lastIndexOf('.');
  if (dot < 0) return ['name must be in the form of <group>.<resource>'];
  return [
    ...isDns1123Subdomain(name.slice(0, dot)).map((problem) => `the group segment ${problem}`),
    ...isDns1035Label(name.slice(dot + 1)).map((problem) => `the resource segment ${problem}`),
  ];
}

/** Validates the storage versions that the API servers of a cluster report. */
export function validateStorageVersionStatus({ status: given = {} }: StorageVersion): ErrorList {
  const errors: ErrorList = [];
  const ids = new Set<string>();
  given.storageVersions?.forEach((server, i) => {
    const path = status.child('storageVersions').index(i);
    if (ids.has(server.apiServerID)) errors.push(duplicate(path.child('apiServerID'), server.apiServerID));
    ids.add(server.apiServerID);
    errors.push(...validateServer(server, path));
  });
  errors.push(...validateCommonVersion(given), ...validateConditions(given.conditions ?? []));
  return errors;
}

function validateServer(server: ServerStorageVersion, path: Path): ErrorList {
  const errors: ErrorList = [];
  const { apiServerID = '', encodingVersion = '', servedVersions = [] } = server;
  const decodable = server.decodableVersions ?? [];
  for (const problem of nameIsDnsSubdomain(apiServerID, false)) {
    errors.push(invalid(path.child('apiServerID'), apiServerID, problem));
  }
  const validVersion = (version: string, place: Path) => {
    const problems = apiVersionProblems(version);
    if (problems.length > 0) errors.push(invalid(place, version, problems.join(',')));
  };
  validVersion(encodingVersion, path.child('encodingVersion'));
  decodable.forEach((version, i) => {
    validVersion(version, path.child('decodableVersions').index(i));
  });
  if (!decodable.includes(encodingVersion)) {
    const detail = `decodableVersions must include encodingVersion ${encodingVersion}`;
    errors.push(invalid(path.child('decodableVersions'), server.decodableVersions ?? null, detail));
  }
  servedVersions.forEach((version, i) => {
    const place = path.child('servedVersions').index(i);
    validVersion(version, place);
    if (!decodable.includes(version)) {
      const detail = `individual served version : ${version} must be included in decodableVersions : [${decodable.join(' ')}]`;
      errors.push(invalid(place, version, detail));
    }
  });
  return errors;
}

function validateCommonVersion({
  storageVersions = [],
  commonEncodingVersion: claimed,
}: StorageVersionStatus): FieldError[] {
  const path = status.child('commonEncodingVersion');
  const [first, ...others] = storageVersions;
  const agreed = first && others.every(({ encodingVersion }) => encodingVersion === first.encodingVersion);
  const actual = agreed ? first.encodingVersion : undefined;
  if (actual === claimed) return [];
  if (actual === undefined) {
    const detail =
      'should be nil if servers do not agree on the same encoding version, or if there is no server reporting the supported versions yet';
    return [invalid(path, claimed, detail)];
  }
  const detail = claimed === undefined ? 'the common encoding version is' : 'the actual common encoding version is';
  return [invalid(path, claimed, `${detail} ${actual}`)];
}

/** Error paths lack `conditions`, as upstream's do. */
function validateConditions(conditions: readonly StorageVersionCondition[]): ErrorList {
  const errors: ErrorList = [];
  conditions.forEach(({ type, status: state, reason, message }, i) => {
    const path = status.index(i);
    const earlier = conditions.slice(0, i).findLastIndex((other) => other.type === type);
    if (earlier >= 0) {
      const detail = `the type of the condition is not unique, it also appears in conditions[${earlier}]`;
      errors.push(invalid(path.child('type'), type, detail));
    }
    errors.push(...validateLabelName(type ?? '', path.child('type')));
    errors.push(...validateLabelName(state ?? '', path.child('status')));
    if (!reason) errors.push(required(path.child('reason')));
    if (!message) errors.push(required(path.child('message')));
  });
  return errors;
}

const labelMessage =
  "a DNS-1035 label, which must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";

function apiVersionProblems(apiVersion: string): string[] {
  const parts = apiVersion.split('/');
  if (parts.length > 2) {
    const expected = regexError(labelMessage, '[a-z]([-a-z0-9]*[a-z0-9])?', 'my-name', 'abc-123');
    return [
      `an apiVersion is ${expected} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyVersion')`,
    ];
  }
  const [version = '', group] = parts.reverse();
  const problemsOf = (text: string, check: (text: string) => string[], part: string) =>
    (text === '' ? [emptyError()] : check(text)).map((problem) => `${part} part: ${problem}`);
  return [
    ...(group === undefined ? [] : problemsOf(group, isDns1123Subdomain, 'group')),
    ...problemsOf(version, isDns1035Label, 'version'),
  ];
}
