/** `rbac.authorization` → `RbacAuthorization`: what is no letter or digit goes, and the next letter is a capital. */
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

/** `CoreV1`, `RbacAuthorizationV1`: what operation ids of a group version have after their verb. */
export const operationScope = (group: string, version = ''): string =>
  camelCase(shortGroup(group)) + camelCase(version);

/** `rbacAuthorization_v1`: what groups operations in a document. */
export const operationTag = (group: string, version?: string): string =>
  lowerFirst(shortGroup(group)) + (version === undefined ? '' : `_${version}`);
