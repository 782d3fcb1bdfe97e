import {
  duplicate,
  type ErrorList,
  forbidden,
  invalid,
  isPathSegmentName,
  nameIsDnsSubdomain,
  notSupported,
  Path,
  repeated,
  required,
  validateLabelSelector,
} from '@coxswain/apimachinery';
import type {
  MutatingAdmissionPolicyBinding,
  ParamRef,
  ValidatingAdmissionPolicyBinding,
} from '../../generated/admissionregistration/v1.ts';
import { validateMatchResources, validateMutableOperations } from './match-resources.ts';

const spec = Path.of('spec');
const actions = ['Audit', 'Deny', 'Warn'];
const exclusive = 'name and selector are mutually exclusive';

export function validateValidatingPolicyBinding(binding: ValidatingAdmissionPolicyBinding): ErrorList {
  return [
    ...validateBinding(binding),
    ...validateActions(binding.spec?.validationActions ?? [], spec.child('validationActions')),
  ];
}

export function validateMutatingPolicyBinding(binding: MutatingAdmissionPolicyBinding): ErrorList {
  return [
    ...validateBinding(binding),
    ...validateMutableOperations(binding.spec?.matchResources, spec.child('matchResources')),
  ];
}

function validateBinding(binding: ValidatingAdmissionPolicyBinding | MutatingAdmissionPolicyBinding): ErrorList {
  const errors: ErrorList = [];
  const { policyName, paramRef, matchResources } = binding.spec ?? {};
  if (!policyName) errors.push(required(spec.child('policyName')));
  else {
    for (const problem of nameIsDnsSubdomain(policyName, false)) {
      errors.push(invalid(spec.child('policyName'), policyName, problem));
    }
  }
  if (paramRef) errors.push(...validateParamRef(paramRef, spec.child('paramRef')));
  errors.push(...validateMatchResources(matchResources, spec.child('matchResources')));
  return errors;
}

function validateParamRef({ name, selector, parameterNotFoundAction }: ParamRef, path: Path): ErrorList {
  const errors: ErrorList = [];
  if (name) {
    for (const problem of isPathSegmentName(name)) errors.push(invalid(path.child('name'), name, problem));
    if (selector) errors.push(forbidden(path.child('name'), exclusive));
  }
  if (selector) {
    errors.push(...validateLabelSelector(selector, {}, path.child('selector')));
    if (name) errors.push(forbidden(path.child('selector'), exclusive));
  }
  if (!name && !selector) errors.push(required(path, 'one of name or selector must be specified'));
  const actionPath = path.child('parameterNotFoundAction');
  if (!parameterNotFoundAction) errors.push(required(actionPath));
  else if (!['Deny', 'Allow'].includes(parameterNotFoundAction)) {
    errors.push(notSupported(actionPath, parameterNotFoundAction, ['Deny', 'Allow']));
  }
  return errors;
}

function validateActions(given: readonly string[], path: Path): ErrorList {
  const errors: ErrorList = [];
  const isRepeated = repeated(given);
  given.forEach((action, i) => {
    if (!actions.includes(action)) errors.push(notSupported(path.index(i), action, actions));
    if (isRepeated[i]) errors.push(duplicate(path.index(i), action));
  });
  if (given.includes('Deny') && given.includes('Warn')) {
    const detail =
      'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)';
    errors.push(invalid(path, given, detail));
  }
  if (given.length === 0) errors.push(required(path, 'at least one validation action is required'));
  return errors;
}
