import {
  checkField,
  type ErrorList,
  forbidden,
  invalid,
  invalidEach,
  isDns1123Subdomain,
  isQualifiedName,
  isValidLabelValue,
  type Path,
  required,
} from '@coxswain/apimachinery';
import type { NodeSelector, NodeSelectorRequirement, NodeSelectorTerm } from '../../generated/core/v1.ts';
import { printedAsJson } from './checks.ts';

/** Validates a requirement on a node's labels. Values are checked unless the old object had invalid ones. */
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

/** Validates a requirement on a field of a node. The only supported field is metadata.name. */
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

export function validateNodeSelectorTerm(
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
