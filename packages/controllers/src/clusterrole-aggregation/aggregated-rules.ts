import type { ClusterRole, PolicyRule } from '@coxswain/api/rbac/v1';
import { labelSelectorAsSelector } from '@coxswain/apimachinery/labels';

/**
 * Returns the rules of an aggregated role: those of all other roles that its selectors match, by selector and then by role name,
 * without duplicates. Throws when a selector is invalid.
 */
export function aggregatedRules(
  { metadata, aggregationRule }: ClusterRole,
  roles: readonly ClusterRole[],
): PolicyRule[] {
  const rules = new Map<string, PolicyRule>();
  const others = roles.filter((role) => role.metadata.name !== metadata.name).sort(byName);
  for (const clusterRoleSelector of aggregationRule?.clusterRoleSelectors ?? []) {
    const selector = labelSelectorAsSelector(clusterRoleSelector);
    for (const role of others) {
      if (!selector.matches(role.metadata.labels)) continue;
      for (const rule of role.rules ?? []) {
        const key = ruleKey(rule);
        if (!rules.has(key)) rules.set(key, rule);
      }
    }
  }
  return [...rules.values()];
}

/** Whether the rules are equal and in the same order. Empty lists equal absent ones. */
export const areSameRules = (a: readonly PolicyRule[], b: readonly PolicyRule[]): boolean =>
  a.length === b.length && a.every((rule, i) => ruleKey(rule) === ruleKey(b[i]!));

const byName = ({ metadata: { name: a = '' } }: ClusterRole, { metadata: { name: b = '' } }: ClusterRole): number =>
  a < b ? -1 : a > b ? 1 : 0;

const ruleKey = ({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule) =>
  JSON.stringify([verbs ?? [], apiGroups ?? [], resources ?? [], resourceNames ?? [], nonResourceURLs ?? []]);
