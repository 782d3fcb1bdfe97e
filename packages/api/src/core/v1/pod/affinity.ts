import {
  type ErrorList,
  forbidden,
  invalid,
  isValidLabelValue,
  nameIsDnsSubdomain,
  type Path,
  required,
  validateLabelName,
  validateLabelSelector,
  validateNamespaceName,
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
} from '../../../generated/core/v1.ts';
import { invalidEach, printedAsJson } from './checks.ts';
import { validateMatchAndMismatchLabelKeys } from './topology-spread.ts';
import type { PodValidationOptions } from './validation-options.ts';

/** A requirement on a node's labels. Values are checked unless the object had invalid ones before. */
export function validateNodeSelectorRequirement(
  { key, operator, values = [] }: NodeSelectorRequirement,
  allowInvalidLabelValue: boolean,
  path: Path,
): ErrorList {
  const errors: ErrorList = [];
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
  errors.push(...validateLabelName(key, path.child('key')));
  if (!allowInvalidLabelValue)
    values.forEach((value, i) => {
      errors.push(...invalidEach(valuesPath.index(i), value, isValidLabelValue(value)));
    });
  return errors;
}

/** A requirement on a field of a node: its name is the only one that there is. */
function validateNodeFieldSelectorRequirement(
  { key, operator, values = [] }: NodeSelectorRequirement,
  path: Path,
): ErrorList {
  const errors: ErrorList = [];
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
      errors.push(...invalidEach(valuesPath.index(i), value, nameIsDnsSubdomain(value, false)));
    });
  return errors;
}

export function validateNodeSelectorTerm(
  term: NodeSelectorTerm,
  allowInvalidLabelValue: boolean,
  path: Path,
): ErrorList {
  return [
    ...(term.matchExpressions ?? []).flatMap((requirement, i) =>
      validateNodeSelectorRequirement(requirement, allowInvalidLabelValue, path.child('matchExpressions').index(i)),
    ),
    ...(term.matchFields ?? []).flatMap((requirement, i) =>
      validateNodeFieldSelectorRequirement(requirement, path.child('matchFields').index(i)),
    ),
  ];
}

export function validateNodeSelector(
  { nodeSelectorTerms: terms }: NodeSelector,
  allowInvalidLabelValue: boolean,
  path: Path,
): ErrorList {
  const termsPath = path.child('nodeSelectorTerms');
  if (!terms || terms.length === 0) return [required(termsPath, 'must have at least one node selector term')];
  return terms.flatMap((term, i) => validateNodeSelectorTerm(term, allowInvalidLabelValue, termsPath.index(i)));
}

const validateWeight = (weight: number, path: Path): ErrorList =>
  weight <= 0 || weight > 100 ? [invalid(path.child('weight'), weight, 'must be in the range 1-100')] : [];

/** Invalid values are allowed here: a preference that no node meets does no harm. */
export function validatePreferredSchedulingTerms(terms: readonly PreferredSchedulingTerm[], path: Path): ErrorList {
  return terms.flatMap(({ weight, preference }, i) => [
    ...validateWeight(weight, path.index(i)),
    ...validateNodeSelectorTerm(preference, true, path.index(i).child('preference')),
  ]);
}

function validateNodeAffinity(affinity: NodeAffinity, allowInvalidLabelValue: boolean, path: Path): ErrorList {
  const {
    requiredDuringSchedulingIgnoredDuringExecution: hard,
    preferredDuringSchedulingIgnoredDuringExecution: soft = [],
  } = affinity;
  return [
    ...(hard
      ? validateNodeSelector(hard, allowInvalidLabelValue, path.child('requiredDuringSchedulingIgnoredDuringExecution'))
      : []),
    ...validatePreferredSchedulingTerms(soft, path.child('preferredDuringSchedulingIgnoredDuringExecution')),
  ];
}

/** Both label selectors of a term. */
export function validatePodAffinityTermSelector(
  { labelSelector, namespaceSelector }: PodAffinityTerm,
  allowInvalidLabelValueInSelector: boolean,
  path: Path,
): ErrorList {
  const options = { allowInvalidLabelValueInSelector };
  return [
    ...validateLabelSelector(labelSelector, options, path.child('labelSelector')),
    ...validateLabelSelector(namespaceSelector, options, path.child('namespaceSelector')),
  ];
}

function validatePodAffinityTerm(term: PodAffinityTerm, allowInvalidLabelValue: boolean, path: Path): ErrorList {
  const { namespaces = [], topologyKey, matchLabelKeys = [], mismatchLabelKeys = [], labelSelector } = term;
  const topologyKeyPath = path.child('topologyKey');
  return [
    ...validatePodAffinityTermSelector(term, allowInvalidLabelValue, path),
    ...namespaces.flatMap((name) => invalidEach(path.child('namespace'), name, validateNamespaceName(name, false))),
    ...validateMatchAndMismatchLabelKeys(path, matchLabelKeys, mismatchLabelKeys, labelSelector),
    ...(topologyKey ? [] : [required(topologyKeyPath, 'can not be empty')]),
    ...validateLabelName(topologyKey, topologyKeyPath),
  ];
}

function validatePodAffinity(affinity: PodAffinity, allowInvalidLabelValue: boolean, path: Path): ErrorList {
  const {
    requiredDuringSchedulingIgnoredDuringExecution: hard = [],
    preferredDuringSchedulingIgnoredDuringExecution: soft = [],
  } = affinity;
  const hardPath = path.child('requiredDuringSchedulingIgnoredDuringExecution');
  const softPath = path.child('preferredDuringSchedulingIgnoredDuringExecution');
  return [
    ...hard.flatMap((term, i) => validatePodAffinityTerm(term, allowInvalidLabelValue, hardPath.index(i))),
    ...soft.flatMap(({ weight, podAffinityTerm }, i) => [
      ...validateWeight(weight, softPath.index(i)),
      ...validatePodAffinityTerm(podAffinityTerm, allowInvalidLabelValue, softPath.index(i).child('podAffinityTerm')),
    ]),
  ];
}

export type AffinityOptions = Partial<
  Pick<PodValidationOptions, 'allowInvalidLabelValueInSelector' | 'allowInvalidLabelValueInRequiredNodeAffinity'>
>;

export function validateAffinity(affinity: Affinity | undefined, path: Path, options: AffinityOptions = {}): ErrorList {
  if (!affinity) return [];
  const { allowInvalidLabelValueInSelector = false, allowInvalidLabelValueInRequiredNodeAffinity = false } = options;
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity;
  return [
    ...(nodeAffinity
      ? validateNodeAffinity(nodeAffinity, allowInvalidLabelValueInRequiredNodeAffinity, path.child('nodeAffinity'))
      : []),
    ...(podAffinity
      ? validatePodAffinity(podAffinity, allowInvalidLabelValueInSelector, path.child('podAffinity'))
      : []),
    ...(podAntiAffinity
      ? validatePodAffinity(podAntiAffinity, allowInvalidLabelValueInSelector, path.child('podAntiAffinity'))
      : []),
  ];
}

/** Every term on other pods, required or preferred, towards or away from them. */
export function podAffinityTerms(affinity: Affinity | undefined): PodAffinityTerm[] {
  return [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap((terms) => [
    ...(terms?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(terms?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ]);
}
