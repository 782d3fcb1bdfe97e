import {
  type ErrorList,
  invalid,
  isPathSegmentName,
  type LabelSelector,
  labels,
  Path,
  required,
  validateLabelSelector,
} from '@coxswain/apimachinery';
import type { ClusterRole, PolicyRule, Role } from '../../generated/rbac/v1.ts';
import { revalidated } from '../../strategy/revalidated.ts';
import type { Strategy } from '../../strategy/strategy.ts';
import { defaultTable } from '../../strategy/table.ts';

const selectorsPath = Path.of('aggregationRule', 'clusterRoleSelectors');

function validateRules(rules: readonly PolicyRule[] | null | undefined, isNamespaced: boolean): ErrorList {
  return (rules ?? []).flatMap((rule, i) => validateRule(rule, isNamespaced, Path.of('rules').index(i)));
}

function validateRule(rule: PolicyRule, isNamespaced: boolean, path: Path): ErrorList {
  const { verbs, apiGroups, resources, resourceNames, nonResourceURLs } = rule;
  const errors = verbs?.length ? [] : [required(path.child('verbs'), 'verbs must contain at least one value')];
  if (nonResourceURLs?.length) {
    const complain = (detail: string) => errors.push(invalid(path.child('nonResourceURLs'), nonResourceURLs, detail));
    if (isNamespaced) complain('namespaced rules cannot apply to non-resource URLs');
    if (apiGroups?.length || resources?.length || resourceNames?.length)
      complain('rules cannot apply to both regular resources and non-resource URLs');
    return errors;
  }
  if (!apiGroups?.length)
    errors.push(required(path.child('apiGroups'), 'resource rules must supply at least one api group'));
  if (!resources?.length)
    errors.push(required(path.child('resources'), 'resource rules must supply at least one resource'));
  return errors;
}

const isInvalid = (selector: LabelSelector): boolean => validateLabelSelector(selector, {}, selectorsPath).length > 0;

function isUsable(selector: LabelSelector): boolean {
  try {
    labels.labelSelectorAsSelector(selector);
    return true;
  } catch {
    return false;
  }
}

function validateClusterRole({ rules, aggregationRule }: ClusterRole, old?: ClusterRole): ErrorList {
  const errors = validateRules(rules, false);
  if (!aggregationRule) return errors;
  const { clusterRoleSelectors: selectors = [] } = aggregationRule;
  if (selectors.length === 0) {
    const detail = 'at least one clusterRoleSelector required if aggregationRule is non-nil';
    errors.push(required(selectorsPath, detail));
  }
  const allowInvalidLabelValueInSelector = (old?.aggregationRule?.clusterRoleSelectors ?? []).some(isInvalid);
  selectors.forEach((selector, i) => {
    const path = selectorsPath.index(i);
    errors.push(...validateLabelSelector(selector, { allowInvalidLabelValueInSelector }, path));
    if (!isUsable(selector)) errors.push(invalid(path, null, 'invalid label selector.'));
  });
  return errors;
}

export const roleStrategy: Strategy<Role> = {
  ...revalidated<Role>({ validateName: isPathSegmentName, validate: ({ rules }) => validateRules(rules, true) }),
  allowCreateOnUpdate: true,
  table: defaultTable,
};

export const clusterRoleStrategy: Strategy<ClusterRole> = {
  ...revalidated<ClusterRole>({ validateName: isPathSegmentName, validate: validateClusterRole }),
  allowCreateOnUpdate: true,
  table: defaultTable,
};
