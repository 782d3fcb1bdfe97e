import type { ClusterRole, PolicyRule } from '@coxswain/api/rbac/v1';
import { labelSelectorAsSelector } from '@coxswain/apimachinery/labels';

/**
 * The rules that an aggregating role is to have: those of all other roles that one of its selectors selects, selector by
 * selector and in the order of the roles' names, each once. Throws when a selector is not valid.
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

/** Whether they say the same in the same order; what is empty is as good as left out. */
export const areSameRules = (a: readonly PolicyRule[], b: readonly PolicyRule[]): boolean =>
  a.length === b.length && a.every((rule, i) => ruleKey(rule) === ruleKey(b[i]!));

const byName = ({ metadata: { name: a = '' } }: ClusterRole, { metadata: { name: b = '' } }: ClusterRole): number =>
  a < b ? -1 : a > b ? 1 : 0;

const ruleKey = ({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule) =>
  JSON.stringify([verbs ?? [], apiGroups ?? [], resources ?? [], resourceNames ?? [], nonResourceURLs ?? []]);
