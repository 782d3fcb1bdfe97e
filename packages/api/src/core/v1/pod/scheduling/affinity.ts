import {
  checkField,
  type ErrorList,
  invalid,
  isDns1123Label,
  isQualifiedName,
  type Path,
  required,
  validateLabelSelector,
} from '@coxswain/apimachinery';
import type {
  Affinity,
  NodeAffinity,
  PodAffinity,
  PodAffinityTerm,
  PreferredSchedulingTerm,
} from '../../../../generated/core/v1.ts';
import { validateNodeSelector, validateNodeSelectorTerm } from '../../node-selector.ts';
import type { PodValidationOptions } from '../validation-options.ts';
import { validateMatchAndMismatchLabelKeys } from './topology-spread.ts';

const hardField = 'requiredDuringSchedulingIgnoredDuringExecution';
const softField = 'preferredDuringSchedulingIgnoredDuringExecution';

function validateWeight(weight: number, path: Path, errors: ErrorList): void {
  if (weight <= 0 || weight > 100) errors.push(invalid(path.child('weight'), weight, 'must be in the range 1-100'));
}

/** Validates preferences. Invalid label values are allowed, because an unsatisfiable preference has no effect. */
function validatePreferredSchedulingTerms(
  terms: readonly PreferredSchedulingTerm[],
  path: Path,
  errors: ErrorList,
): void {
  terms.forEach(({ weight, preference }, i) => {
    const at = path.index(i);
    validateWeight(weight, at, errors);
    validateNodeSelectorTerm(preference, true, at.child('preference'), errors);
  });
}

function validateNodeAffinity(
  affinity: NodeAffinity,
  allowInvalidLabelValue: boolean,
  path: Path,
  errors: ErrorList,
): void {
  const { [hardField]: hard, [softField]: soft } = affinity;
  if (hard) validateNodeSelector(hard, allowInvalidLabelValue, path.child(hardField), errors);
  if (soft) validatePreferredSchedulingTerms(soft, path.child(softField), errors);
}

/** Validates both label selectors of a term. */
export function validatePodAffinityTermSelector(
  { labelSelector, namespaceSelector }: PodAffinityTerm,
  allowInvalidLabelValueInSelector: boolean,
  path: Path,
  errors: ErrorList = [],
): ErrorList {
  const options = { allowInvalidLabelValueInSelector };
  if (labelSelector) validateLabelSelector(labelSelector, options, path.child('labelSelector'), errors);
  if (namespaceSelector) validateLabelSelector(namespaceSelector, options, path.child('namespaceSelector'), errors);
  return errors;
}

function validatePodAffinityTerm(
  term: PodAffinityTerm,
  allowInvalidLabelValue: boolean,
  path: Path,
  errors: ErrorList,
): void {
  const { namespaces, topologyKey, matchLabelKeys, mismatchLabelKeys, labelSelector } = term;
  validatePodAffinityTermSelector(term, allowInvalidLabelValue, path, errors);
  for (const name of namespaces ?? []) checkField(path, 'namespace', name, isDns1123Label, errors);
  validateMatchAndMismatchLabelKeys(path, matchLabelKeys, mismatchLabelKeys, labelSelector, errors);
  if (!topologyKey) errors.push(required(path.child('topologyKey'), 'can not be empty'));
  checkField(path, 'topologyKey', topologyKey, isQualifiedName, errors);
}

function validatePodAffinity(
  affinity: PodAffinity,
  allowInvalidLabelValue: boolean,
  path: Path,
  errors: ErrorList,
): void {
  affinity[hardField]?.forEach((term, i) => {
    validatePodAffinityTerm(term, allowInvalidLabelValue, path.child(hardField).index(i), errors);
  });
  affinity[softField]?.forEach(({ weight, podAffinityTerm }, i) => {
    const at = path.child(softField).index(i);
    validateWeight(weight, at, errors);
    validatePodAffinityTerm(podAffinityTerm, allowInvalidLabelValue, at.child('podAffinityTerm'), errors);
  });
}

export function validateAffinity(
  { nodeAffinity, podAffinity, podAntiAffinity }: Affinity,
  path: Path,
  { allowInvalidLabelValueInSelector, allowInvalidLabelValueInRequiredNodeAffinity }: PodValidationOptions,
  errors: ErrorList,
): void {
  if (nodeAffinity) {
    const at = path.child('nodeAffinity');
    validateNodeAffinity(nodeAffinity, allowInvalidLabelValueInRequiredNodeAffinity, at, errors);
  }
  if (podAffinity)
    validatePodAffinity(podAffinity, allowInvalidLabelValueInSelector, path.child('podAffinity'), errors);
  if (podAntiAffinity)
    validatePodAffinity(podAntiAffinity, allowInvalidLabelValueInSelector, path.child('podAntiAffinity'), errors);
}

/** Returns all terms of podAffinity and podAntiAffinity, required and preferred. */
export function podAffinityTerms(affinity: Affinity | undefined): PodAffinityTerm[] {
  return [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap((terms) => [
    ...(terms?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(terms?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ]);
}
