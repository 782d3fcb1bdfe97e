import { type ErrorList, invalid, notSupported, type Path, required } from '@coxswain/apimachinery';
import type { RuleWithOperations } from '../../generated/admissionregistration/v1.ts';

const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const scopes = ['*', 'Cluster', 'Namespaced'];

/** Validates a rule that selects requests for a webhook or policy. */
export function validateRuleWithOperations(rule: RuleWithOperations, path: Path): ErrorList {
  const errors = validateWildcardList(rule.operations, path.child('operations'), 'operations');
  rule.operations?.forEach((operation, i) => {
    if (!operations.includes(operation)) {
      errors.push(notSupported(path.child('operations').index(i), operation, operations));
    }
  });
  errors.push(
    ...validateWildcardList(rule.apiGroups, path.child('apiGroups'), 'API groups'),
    ...validateWildcardList(rule.apiVersions, path.child('apiVersions'), 'API versions'),
  );
  rule.apiVersions?.forEach((version, i) => {
    if (version === '') errors.push(required(path.child('apiVersions').index(i)));
  });
  errors.push(...validateResources(rule.resources ?? [], path.child('resources')));
  if (rule.scope !== undefined && !scopes.includes(rule.scope)) {
    errors.push(notSupported(path.child('scope'), rule.scope, scopes));
  }
  return errors;
}

/** The list must not be empty, and `*` must be its only item. */
function validateWildcardList(list: readonly string[] | undefined, path: Path, what: string): ErrorList {
  if (!list?.length) return [required(path)];
  if (list.length === 1 || !list.includes('*')) return [];
  return [invalid(path, list, `if '*' is present, must not specify other ${what}`)];
}

function validateResources(resources: readonly string[], path: Path): ErrorList {
  const errors: ErrorList = resources.length === 0 ? [required(path)] : [];
  const allSubresourcesOf = new Set<string>();
  const onAllResources = new Set<string>();
  // Whether the last name without a subresource is other than `*`. Upstream checks only the last one.
  let lastPlainIsNamed = false;
  resources.forEach((entry, i) => {
    if (entry === '') {
      errors.push(required(path.index(i)));
      return;
    }
    const slash = entry.indexOf('/');
    if (slash < 0) {
      lastPlainIsNamed = entry !== '*';
      return;
    }
    const resource = entry.slice(0, slash);
    const subresource = entry.slice(slash + 1);
    if (allSubresourcesOf.has(resource)) {
      errors.push(invalid(path.index(i), entry, `if '${resource}/*' is present, must not specify ${entry}`));
    }
    if (onAllResources.has(subresource)) {
      errors.push(invalid(path.index(i), entry, `if '*/${subresource}' is present, must not specify ${entry}`));
    }
    if (subresource === '*') allSubresourcesOf.add(resource);
    if (resource === '*') onAllResources.add(subresource);
  });
  if (resources.length > 1 && resources.includes('*/*')) {
    errors.push(invalid(path, resources, "if '*/*' is present, must not specify other resources"));
  }
  if (resources.includes('*') && lastPlainIsNamed) {
    const detail = "if '*' is present, must not specify other resources without subresources";
    errors.push(invalid(path, resources, detail));
  }
  return errors;
}
