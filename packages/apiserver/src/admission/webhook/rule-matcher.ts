import type { RuleWithOperations } from '@coxswain/api/admissionregistration/v1';
import type { GroupVersionResource } from '@coxswain/apimachinery';
import type { Operation } from '../admission.ts';

/** The properties that rules match. */
interface RuleSubject {
  readonly operation: Operation;
  readonly resource: GroupVersionResource;
  readonly subresource: string;
  /** For a Namespace, its own name. */
  readonly namespace: string;
}

export type RuleMatcher = (subject: RuleSubject) => boolean;

/** Compiles a rule. */
export function compileRule(rule: RuleWithOperations): RuleMatcher {
  const isOperation = oneOf(rule.operations);
  const isGroup = oneOf(rule.apiGroups);
  const isVersion = oneOf(rule.apiVersions);
  const resources = (rule.resources ?? []).map(readResource);
  const inScope = scopes[rule.scope ?? '*'];
  return ({ operation, resource, subresource, namespace }) =>
    isOperation(operation) &&
    isGroup(resource.group) &&
    isVersion(resource.version) &&
    resources.some((candidate) => candidate.isResource(resource.resource) && candidate.isPart(subresource)) &&
    (inScope?.(resource, namespace) ?? false);
}

const anything = (): boolean => true;

function oneOf(values: readonly string[] = []): (value: string) => boolean {
  if (values.includes('*')) return anything;
  const set = new Set(values);
  return (value) => set.has(value);
}

/**
 * Parses `pods`, `pods/status`, `pods/*`, `*`, or `*` with a subresource. Without a slash, subresources do not match.
 */
function readResource(text: string) {
  const slash = text.indexOf('/');
  const [resource, part] = slash < 0 ? [text, ''] : [text.slice(0, slash), text.slice(slash + 1)];
  return {
    isResource: resource === '*' ? anything : (value: string) => value === resource,
    isPart: part === '*' ? anything : (value: string) => value === part,
  };
}

const isNamespaces = ({ group, version, resource }: GroupVersionResource): boolean =>
  resource === 'namespaces' && group === '' && version === 'v1';

/** Namespace objects are cluster-scoped, although they have a namespace in admission attributes. */
const scopes: Readonly<Record<string, (resource: GroupVersionResource, namespace: string) => boolean>> = {
  '*': anything,
  Namespaced: (resource, namespace) => !isNamespaces(resource) && namespace !== '',
  Cluster: (resource, namespace) => isNamespaces(resource) || namespace === '',
};
