import {
  checkField,
  type ErrorList,
  forbidden,
  invalid,
  invalidEach,
  isDns1123Label,
  isDns1123Subdomain,
  isQualifiedName,
  isValidLabelValue,
  type Path,
  required,
  validateLabelSelector,
} from '@coxswain/apimachinery';
import type {
  Affinity,
  NodeAffinity,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodAffinity,
  PodAffinityTerm,
  PreferredSchedulingTerm,
} from '../../../../generated/core/v1.ts';
import { printedAsJson } from '../../checks.ts';
import type { PodValidationOptions } from '../validation-options.ts';
import { validateMatchAndMismatchLabelKeys } from './topology-spread.ts';

const hardField = 'requiredDuringSchedulingIgnoredDuringExecution';
const softField = 'preferredDuringSchedulingIgnoredDuringExecution';

/** A requirement on a node's labels. Values are checked unless the object had invalid ones before. */
function validateNodeSelectorRequirement(
  { key, operator, values = [] }: NodeSelectorRequirement,
  allowInvalidLabelValue: boolean,
  path: Path,
  errors: ErrorList,
): void {
  const valuesPath = path.child('values');
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length === 0)
        errors.push(required(valuesPath, "must be specified when `operator` is 'In' or 'NotIn'"));
      break;
    case 'Exists':
    case 'DoesNotExist':
      if (values.length > 0)
        errors.push(forbidden(valuesPath, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
      break;
    case 'Gt':
    case 'Lt':
      if (values.length !== 1)
        errors.push(required(valuesPath, "must be specified single value when `operator` is 'Lt' or 'Gt'"));
      break;
    default:
      errors.push(invalid(path.child('operator'), printedAsJson(operator), 'not a valid selector operator'));
  }
  checkField(path, 'key', key, isQualifiedName, errors);
  if (!allowInvalidLabelValue)
    values.forEach((value, i) => {
      invalidEach(valuesPath.index(i), value, isValidLabelValue(value), errors);
    });
}

/** A requirement on a field of a node: its name is the only one that there is. */
function validateNodeFieldSelectorRequirement(
  { key, operator, values = [] }: NodeSelectorRequirement,
  path: Path,
  errors: ErrorList,
): void {
  const valuesPath = path.child('values');
  if (operator !== 'In' && operator !== 'NotIn')
    errors.push(invalid(path.child('operator'), printedAsJson(operator), 'not a valid selector operator'));
  else if (values.length !== 1)
    errors.push(
      required(valuesPath, "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"),
    );
  if (key !== 'metadata.name') errors.push(invalid(path.child('key'), key, 'not a valid field selector key'));
  else
    values.forEach((value, i) => {
      invalidEach(valuesPath.index(i), value, isDns1123Subdomain(value), errors);
    });
}

function validateNodeSelectorTerm(
  { matchExpressions, matchFields }: NodeSelectorTerm,
  allowInvalidLabelValue: boolean,
  path: Path,
  errors: ErrorList,
): void {
  matchExpressions?.forEach((requirement, i) => {
    const at = path.child('matchExpressions').index(i);
    validateNodeSelectorRequirement(requirement, allowInvalidLabelValue, at, errors);
  });
  matchFields?.forEach((requirement, i) => {
    validateNodeFieldSelectorRequirement(requirement, path.child('matchFields').index(i), errors);
  });
}

export function validateNodeSelector(
  { nodeSelectorTerms: terms }: NodeSelector,
  allowInvalidLabelValue: boolean,
  path: Path,
  errors: ErrorList = [],
): ErrorList {
  const termsPath = path.child('nodeSelectorTerms');
  if (!terms || terms.length === 0) errors.push(required(termsPath, 'must have at least one node selector term'));
  terms?.forEach((term, i) => {
    validateNodeSelectorTerm(term, allowInvalidLabelValue, termsPath.index(i), errors);
  });
  return errors;
}

function validateWeight(weight: number, path: Path, errors: ErrorList): void {
  if (weight <= 0 || weight > 100) errors.push(invalid(path.child('weight'), weight, 'must be in the range 1-100'));
}

/** Invalid values are allowed here: a preference that no node meets does no harm. */
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

/** Both label selectors of a term. */
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

/** Every term on other pods, required or preferred, towards or away from them. */
export function podAffinityTerms(affinity: Affinity | undefined): PodAffinityTerm[] {
  return [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap((terms) => [
    ...(terms?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(terms?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ]);
}
