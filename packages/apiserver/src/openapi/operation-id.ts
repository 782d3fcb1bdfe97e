/** Converts to camel case: `RbacAuthorization` for `rbac.authorization`. Other characters than letters and digits are removed. */
export const camelCase = (text: string): string =>
  text
    .split(/[^A-Za-z0-9_]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

const lowerFirst = (text: string): string => {
  const [first = '', ...rest] = text.split(/[^A-Za-z0-9_]/);
  return first + rest.map((word) => camelCase(word)).join('');
};

const shortGroup = (group: string): string => (group === '' ? 'core' : group.replace(/\.k8s\.io$/, ''));

/** Returns the part of operation IDs for a group version, such as `CoreV1` or `RbacAuthorizationV1`. */
export const operationScope = (group: string, version = ''): string =>
  camelCase(shortGroup(group)) + camelCase(version);

/** Returns the tag of a group version's operations, such as `rbacAuthorization_v1`. */
export const operationTag = (group: string, version?: string): string =>
  lowerFirst(shortGroup(group)) + (version === undefined ? '' : `_${version}`);
