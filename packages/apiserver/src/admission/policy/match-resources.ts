import type { MatchResources, NamedRuleWithOperations } from '@coxswain/api/admissionregistration/v1';
import { labels } from '@coxswain/apimachinery';
import type { EquivalentResource } from '../../registry/equivalent-resource.ts';
import type { AdmissionAttributes } from '../admission.ts';
import { selectsNamespace, selectsObject } from '../match-selectors.ts';
import type { AdmissionContext } from '../plugin-context.ts';
import { compileRule, type RuleMatcher } from '../webhook/rule-matcher.ts';

/**
 * As what a policy, or a binding, is for a write; undefined when it is not for it. Throws an Error when it would be, as
 * far as can be said, but that is not far enough.
 */
export type ResourceMatcher = (
  attributes: AdmissionAttributes,
) => EquivalentResource | undefined | Promise<EquivalentResource | undefined>;

interface NamedRule {
  readonly matches: RuleMatcher;
  readonly isNamed: (name: string) => boolean;
}

const itself = ({ resource, kind }: AdmissionAttributes): EquivalentResource => ({ resource, kind });

/** What MatchResources say, read once. */
export function compileMatchResources(
  resources: MatchResources,
  context: Pick<AdmissionContext, 'listers' | 'client'>,
): ResourceMatcher {
  try {
    return compile(resources, context);
  } catch (error) {
    // Validation lets no such selector pass; if there is one all the same, only its own policy is out of order.
    return () => Promise.reject(error);
  }
}

function compile(
  { namespaceSelector, objectSelector, resourceRules = [], excludeResourceRules = [], matchPolicy }: MatchResources,
  context: Pick<AdmissionContext, 'listers' | 'client'>,
): ResourceMatcher {
  // The defaults of the kinds have no absent ones.
  const namespaces = labels.labelSelectorAsSelector(namespaceSelector ?? {});
  const objects = labels.labelSelectorAsSelector(objectSelector ?? {});
  const isEquivalent = matchPolicy === 'Equivalent';
  const rules = resourceRules.map(readRule);
  const exclusions = excludeResourceRules.map(readRule);
  return (attributes) => {
    if (byRules(exclusions, isEquivalent, attributes)) return undefined;
    const found = rules.length === 0 ? itself(attributes) : byRules(rules, isEquivalent, attributes);
    if (!found || !selectsObject(objects, attributes.object, attributes.oldObject)) return undefined;
    // Most policies are not for most writes: that costs no promise.
    if (namespaces.isEmpty()) return found;
    return selectsNamespace(context, namespaces, attributes).then((isSelected) => (isSelected ? found : undefined));
  };
}

function readRule(rule: NamedRuleWithOperations): NamedRule {
  const names = new Set(rule.resourceNames);
  return { matches: compileRule(rule), isNamed: names.size === 0 ? () => true : (name) => names.has(name) };
}

/** The first rule that is for the request as it is; else, where that is allowed, for what it could have been. */
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
