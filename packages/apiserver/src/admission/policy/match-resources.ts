import type { MatchResources, NamedRuleWithOperations } from '@coxswain/api/admissionregistration/v1';
import { labels } from '@coxswain/apimachinery';
import type { EquivalentResource } from '../../registry/equivalent-resource.ts';
import type { AdmissionAttributes } from '../admission.ts';
import { selectsNamespace, selectsObject } from '../match-selectors.ts';
import type { AdmissionContext } from '../plugin-context.ts';
import { compileRule, type RuleMatcher } from '../webhook/rule-matcher.ts';

/**
 * Returns the resource as which a policy or binding matches a write; undefined when it does not match. Throws an Error
 * when that cannot be determined.
 */
export type ResourceMatcher = (
  attributes: AdmissionAttributes,
) => EquivalentResource | undefined | Promise<EquivalentResource | undefined>;

interface NamedRule {
  readonly matches: RuleMatcher;
  readonly isNamed: (name: string) => boolean;
}

const itself = ({ resource, kind }: AdmissionAttributes): EquivalentResource => ({ resource, kind });

/** Compiles MatchResources. */
export function compileMatchResources(
  resources: MatchResources,
  context: Pick<AdmissionContext, 'listers' | 'client'>,
): ResourceMatcher {
  try {
    return compile(resources, context);
  } catch (error) {
    // Validation rejects such selectors. If there is one, only its own policy fails.
    return () => Promise.reject(error);
  }
}

function compile(
  { namespaceSelector, objectSelector, resourceRules = [], excludeResourceRules = [], matchPolicy }: MatchResources,
  context: Pick<AdmissionContext, 'listers' | 'client'>,
): ResourceMatcher {
  // Defaulting has set them.
  const namespaces = labels.labelSelectorAsSelector(namespaceSelector ?? {});
  const objects = labels.labelSelectorAsSelector(objectSelector ?? {});
  const isEquivalent = matchPolicy === 'Equivalent';
  const rules = resourceRules.map(readRule);
  const exclusions = excludeResourceRules.map(readRule);
  return (attributes) => {
    if (byRules(exclusions, isEquivalent, attributes)) return undefined;
    const found = rules.length === 0 ? itself(attributes) : byRules(rules, isEquivalent, attributes);
    if (!found || !selectsObject(objects, attributes.object, attributes.oldObject)) return undefined;
    // Most policies do not match most writes, which is decided synchronously.
    if (namespaces.isEmpty()) return found;
    return selectsNamespace(context, namespaces, attributes).then((isSelected) => (isSelected ? found : undefined));
  };
}

function readRule(rule: NamedRuleWithOperations): NamedRule {
  const names = new Set(rule.resourceNames);
  return { matches: compileRule(rule), isNamed: names.size === 0 ? () => true : (name) => names.has(name) };
}

/** Returns the first match of a rule: with the request's resource or else, if `isEquivalent`, with another one. */
function byRules(
  rules: readonly NamedRule[],
  isEquivalent: boolean,
  attributes: AdmissionAttributes,
): EquivalentResource | undefined {
  const { operation, subresource, namespace, name, resource, objects } = attributes;
  if (rules.some(({ matches, isNamed }) => matches(attributes) && isNamed(name))) return itself(attributes);
  if (rules.length === 0 || !isEquivalent || !objects) return undefined;
  const others = objects.equivalents().filter((other) => other.resource !== resource);
  for (const { matches, isNamed } of rules)
    for (const other of others)
      if (matches({ operation, subresource, namespace, resource: other.resource }) && isNamed(name)) return other;
  return undefined;
}
