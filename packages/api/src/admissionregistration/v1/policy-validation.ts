import {
  duplicate,
  type ErrorList,
  GroupVersion,
  invalid,
  isDns1035Label,
  isDns1123Subdomain,
  isLongerThan,
  jsonEquals,
  notSupported,
  Path,
  required,
  validateConditions,
  validateLabelName,
} from '@coxswain/apimachinery';
import type {
  AuditAnnotation,
  MutatingAdmissionPolicy,
  Mutation,
  ParamKind,
  ValidatingAdmissionPolicy,
  Validation,
  Variable,
} from '../../generated/admissionregistration/v1.ts';
import type { ExpressionErrors } from '../../strategy/strategy.ts';
import { jsonPathProblem } from './json-path.ts';
import { expressionErrors, validateMatchConditions } from './match-conditions.ts';
import { validateMatchResources, validateMutableOperations } from './match-resources.ts';
import { failurePolicies, reinvocationPolicies } from './policies.ts';

type Policy = ValidatingAdmissionPolicy | MutatingAdmissionPolicy;

const spec = Path.of('spec');
const maxAuditAnnotations = 20;
const maxValueExpressionBytes = 5 * 1024;
const reasons = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];
const atLeastOne = 'validations or auditAnnotations must contain at least one item';

/** On update, unchanged match conditions are not validated. */
export function validateValidatingPolicy(
  policy: ValidatingAdmissionPolicy,
  old?: ValidatingAdmissionPolicy,
  expressions?: ExpressionErrors,
): ErrorList {
  const errors = validatePolicy(policy, old, expressions);
  const { validations = [], auditAnnotations = [] } = policy.spec ?? {};
  if (validations.length === 0 && auditAnnotations.length === 0) {
    errors.push(required(spec.child('validations'), atLeastOne), required(spec.child('auditAnnotations'), atLeastOne));
    return errors;
  }
  validations.forEach((validation, i) => {
    errors.push(...validateValidation(validation, spec.child('validations').index(i), expressions));
  });
  const annotations = spec.child('auditAnnotations');
  if (auditAnnotations.length > maxAuditAnnotations) {
    // Upstream prints its internal type here.
    const value = auditAnnotations.map(({ key, valueExpression }) => ({ Key: key, ValueExpression: valueExpression }));
    errors.push(invalid(annotations, value, `must not have more than ${maxAuditAnnotations} auditAnnotations`));
  }
  const keys = new Set<string>();
  auditAnnotations.forEach((annotation, i) => {
    errors.push(...validateAuditAnnotation(annotation, policy.metadata.name, annotations.index(i), expressions));
    if (keys.has(annotation.key)) errors.push(duplicate(annotations.index(i).child('key'), annotation.key));
    keys.add(annotation.key);
  });
  return errors;
}

export function validateMutatingPolicy(
  policy: MutatingAdmissionPolicy,
  old?: MutatingAdmissionPolicy,
  expressions?: ExpressionErrors,
): ErrorList {
  const errors = validatePolicy(policy, old, expressions, (constraints, path) =>
    validateMutableOperations(constraints, path),
  );
  const { mutations = [], reinvocationPolicy } = policy.spec ?? {};
  if (mutations.length === 0) {
    errors.push(required(spec.child('mutations'), 'mutations must contain at least one item'));
  }
  mutations.forEach((mutation, i) => {
    errors.push(...validateMutation(mutation, spec.child('mutations').index(i), expressions));
  });
  if (!reinvocationPolicy) errors.push(required(spec.child('reinvocationPolicy')));
  else if (!reinvocationPolicies.includes(reinvocationPolicy)) {
    errors.push(notSupported(spec.child('reinvocationPolicy'), reinvocationPolicy, reinvocationPolicies));
  }
  return errors;
}

/** Validates the fields that both kinds of policy have. */
function validatePolicy(
  policy: Policy,
  old: Policy | undefined,
  expressions: ExpressionErrors | undefined,
  moreAboutConstraints?: typeof validateMutableOperations,
): ErrorList {
  const errors: ErrorList = [];
  const { failurePolicy, paramKind, matchConstraints, matchConditions, variables } = policy.spec ?? {};
  if (failurePolicy === undefined) errors.push(required(spec.child('failurePolicy')));
  else if (!failurePolicies.includes(failurePolicy)) {
    errors.push(notSupported(spec.child('failurePolicy'), failurePolicy, failurePolicies));
  }
  if (paramKind) errors.push(...validateParamKind(paramKind, spec.child('paramKind')));
  const constraints = spec.child('matchConstraints');
  if (!matchConstraints) errors.push(required(constraints));
  else {
    errors.push(...validateMatchResources(matchConstraints, constraints));
    if (!matchConstraints.resourceRules?.length) errors.push(required(constraints.child('resourceRules')));
    if (moreAboutConstraints) errors.push(...moreAboutConstraints(matchConstraints, constraints));
  }
  const unchanged =
    old && jsonEquals(paramKind, old.spec?.paramKind) && jsonEquals(matchConditions, old.spec?.matchConditions);
  if (!unchanged) errors.push(...validateMatchConditions(matchConditions, spec.child('matchConditions'), expressions));
  variables?.forEach((variable, i) => {
    errors.push(...validateVariable(variable, spec.child('variables').index(i), expressions));
  });
  return errors;
}

function validateParamKind({ apiVersion, kind }: ParamKind, path: Path): ErrorList {
  const errors: ErrorList = [];
  const apiVersionPath = path.child('apiVersion');
  if (!apiVersion) errors.push(required(apiVersionPath));
  else if (apiVersion.split('/').length > 2) {
    errors.push(invalid(apiVersionPath, apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  } else {
    const { group, version } = GroupVersion.parse(apiVersion);
    const groupProblems = group ? isDns1123Subdomain(group) : [];
    if (groupProblems.length > 0) errors.push(invalid(apiVersionPath, group, groupProblems.join(',')));
    const versionProblems = isDns1035Label(version);
    if (!version) errors.push(invalid(apiVersionPath, apiVersion, 'version must be specified'));
    else if (versionProblems.length > 0) errors.push(invalid(apiVersionPath, version, versionProblems.join(',')));
  }
  const kindProblems = isDns1035Label((kind ?? '').toLowerCase());
  if (!kind) errors.push(required(path.child('kind')));
  else if (kindProblems.length > 0) {
    const detail = `may have mixed case, but should otherwise match: ${kindProblems.join(',')}`;
    errors.push(invalid(path.child('kind'), kind, detail));
  }
  return errors;
}

const celIdentifier = /^[_a-zA-Z][_a-zA-Z0-9]*$/;
const celReserved = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

function validateVariable(
  { name, expression }: Variable,
  path: Path,
  expressions: ExpressionErrors | undefined,
): ErrorList {
  const errors: ErrorList = [];
  if (!name?.trim()) errors.push(required(path.child('name'), 'name is not specified'));
  else if (!celIdentifier.test(name) || celReserved.has(name)) {
    errors.push(invalid(path.child('name'), name, 'must be a valid CEL identifier'));
  }
  if (!expression?.trim()) errors.push(required(path.child('expression'), 'expression is not specified'));
  else errors.push(...expressionErrors(expressions, path.child('expression')));
  return errors;
}

function validateValidation(validation: Validation, path: Path, expressions: ExpressionErrors | undefined): ErrorList {
  const errors: ErrorList = [];
  const { expression, message, messageExpression, reason } = validation;
  if (!expression?.trim()) errors.push(required(path.child('expression'), 'expression is not specified'));
  else errors.push(...expressionErrors(expressions, path.child('expression')));
  if (messageExpression && !messageExpression.trim()) {
    errors.push(invalid(path.child('messageExpression'), messageExpression, 'must be non-empty if specified'));
  } else errors.push(...expressionErrors(expressions, path.child('messageExpression')));
  if (message && !message.trim()) {
    errors.push(invalid(path.child('message'), message, 'must be non-empty if specified'));
  } else if (message && /[\r\n]/.test(message.trim())) {
    errors.push(invalid(path.child('message'), message, 'must not contain line breaks'));
  }
  if (reason !== undefined && !reasons.includes(reason)) {
    errors.push(notSupported(path.child('reason'), reason, reasons));
  }
  return errors;
}

function validateAuditAnnotation(
  annotation: AuditAnnotation,
  policyName: string | undefined,
  path: Path,
  expressions: ExpressionErrors | undefined,
): ErrorList {
  const errors: ErrorList = [];
  const { key, valueExpression } = annotation;
  if (policyName) errors.push(...validateLabelName(`${policyName}/${key ?? ''}`, path.child('key')));
  else errors.push(invalid(path.child('key'), key ?? '', 'requires metadata.name be non-empty'));
  const trimmed = valueExpression?.trim() ?? '';
  if (!trimmed) errors.push(required(path.child('valueExpression'), 'valueExpression is not specified'));
  else if (isLongerThan(trimmed, maxValueExpressionBytes)) {
    const detail = `must not exceed ${maxValueExpressionBytes} bytes in length`;
    errors.push(required(path.child('valueExpression'), detail));
  } else errors.push(...expressionErrors(expressions, path.child('valueExpression')));
  return errors;
}

const patchTypes: Readonly<
  Record<string, readonly ['jsonPatch' | 'applyConfiguration', 'jsonPatch' | 'applyConfiguration']>
> = {
  ApplyConfiguration: ['applyConfiguration', 'jsonPatch'],
  JSONPatch: ['jsonPatch', 'applyConfiguration'],
};

function validateMutation(mutation: Mutation, path: Path, expressions: ExpressionErrors | undefined): ErrorList {
  const { patchType } = mutation;
  if (!patchType) return [required(path.child('patchType'))];
  const fields = Object.hasOwn(patchTypes, patchType) ? patchTypes[patchType] : undefined;
  if (!fields) return [notSupported(path.child('patchType'), patchType, Object.keys(patchTypes))];
  const [wanted, other] = fields;
  const errors: ErrorList = [];
  if (!mutation[wanted]) {
    errors.push(required(path.child(wanted), `must be specified when patchType is ${patchType}`));
  } else if (!mutation[wanted].expression?.trim()) errors.push(required(path.child(wanted, 'expression')));
  else errors.push(...expressionErrors(expressions, path.child(wanted, 'expression')));
  if (mutation[other]) {
    errors.push(invalid(path.child(other), `{${other}}`, `must not be specified when patchType is ${patchType}`));
  }
  return errors;
}

/** Validates the result of type checking, which a controller writes to status. */
export function validateValidatingPolicyStatus({ status }: ValidatingAdmissionPolicy): ErrorList {
  const path = Path.of('status');
  const errors: ErrorList = [];
  status?.typeChecking?.expressionWarnings?.forEach(({ fieldRef, warning }, i) => {
    const warningPath = path.child('typeChecking', 'expressionWarnings').index(i);
    if (!warning) errors.push(required(warningPath.child('warning')));
    const reference = fieldRef?.trim() ?? '';
    const problem = jsonPathProblem(`{${reference}}`);
    if (!reference) errors.push(required(warningPath.child('fieldRef')));
    else if (problem) errors.push(invalid(warningPath.child('fieldRef'), reference, `invalid JSONPath: ${problem}`));
  });
  errors.push(...validateConditions(status?.conditions, path.child('conditions')));
  return errors;
}
