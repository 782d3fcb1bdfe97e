import {
  duplicate,
  type ErrorList,
  invalid,
  isPathSegmentName,
  notSupported,
  type Path,
  required,
  validateLabelSelector,
} from '@coxswain/apimachinery';
import type { MatchResources, NamedRuleWithOperations } from '../../generated/admissionregistration/v1.ts';
import { matchPolicies } from './policies.ts';
import { validateRuleWithOperations } from './rules.ts';

/** Validates the match resources of a policy or binding. */
export function validateMatchResources(match: MatchResources | undefined, path: Path): ErrorList {
  if (!match) return [];
  const errors: ErrorList = [];
  if (match.matchPolicy === undefined) errors.push(required(path.child('matchPolicy')));
  else if (!matchPolicies.includes(match.matchPolicy)) {
    errors.push(notSupported(path.child('matchPolicy'), match.matchPolicy, matchPolicies));
  }
  for (const field of ['namespaceSelector', 'objectSelector'] as const) {
    if (match[field] === undefined) errors.push(required(path.child(field)));
    else errors.push(...validateLabelSelector(match[field], {}, path.child(field)));
  }
  for (const field of ['resourceRules', 'excludeResourceRules'] as const) {
    match[field]?.forEach((rule, i) => {
      errors.push(...validateNamedRule(rule, path.child(field).index(i)));
    });
  }
  return errors;
}

function validateNamedRule(rule: NamedRuleWithOperations, path: Path): ErrorList {
  const errors: ErrorList = [];
  const names = new Set<string>();
  rule.resourceNames?.forEach((name, i) => {
    const namePath = path.child('resourceNames').index(i);
    for (const problem of isPathSegmentName(name)) errors.push(invalid(namePath, name, problem));
    if (names.has(name)) errors.push(duplicate(namePath, name));
    names.add(name);
  });
  errors.push(...validateRuleWithOperations(rule, path));
  return errors;
}

const mutableOperations = ['*', 'CONNECT', 'CREATE', 'UPDATE'];

/** Refuses operations without an object to mutate, such as DELETE. */
export function validateMutableOperations(match: MatchResources | undefined, path: Path): ErrorList {
  return (match?.resourceRules ?? [])
    .flatMap((rule) => rule.operations ?? [])
    .filter((operation) => !mutableOperations.includes(operation))
    .map((operation) => notSupported(path.child('resourceRules', 'operations'), operation, mutableOperations));
}
