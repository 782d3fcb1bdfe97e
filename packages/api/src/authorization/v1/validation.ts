import {
  type ErrorList,
  invalid,
  type ObjectMeta,
  Path,
  required,
  validateFieldSelectorRequirement,
  validateLabelSelectorRequirement,
} from '@coxswain/apimachinery';
import type {
  LocalSubjectAccessReview,
  NonResourceAttributes,
  ResourceAttributes,
  SelfSubjectAccessReview,
  SelfSubjectAccessReviewSpec,
  SubjectAccessReview,
  SubjectAccessReviewSpec,
} from '../../generated/authorization/v1.ts';
import { internalFormOf } from '../../strategy/internal-form.ts';

const path = Path.of('spec');
const resourcePath = path.child('resourceAttributes');
const nonResourcePath = path.child('nonResourceAttributes');
const internalForm = internalFormOf('NonResourceAttributes Path:s Verb:s');
/** Unknown operators, which newer clients may use, are left to the authorizer. */
const anyOperator = { allowUnknownOperatorInRequirement: true };

const printable = (attributes: NonResourceAttributes): unknown => internalForm('NonResourceAttributes', attributes);

export function validateSelfSubjectAccessReview({ metadata, spec }: SelfSubjectAccessReview): ErrorList {
  return [...validateWhat(spec), ...validateSelectors(spec.resourceAttributes), ...validateEmptyMetadata(metadata)];
}

export function validateSubjectAccessReview({ metadata, spec }: SubjectAccessReview): ErrorList {
  return [...validateSpec(spec), ...validateEmptyMetadata(metadata)];
}

export function validateLocalSubjectAccessReview({ metadata, spec }: LocalSubjectAccessReview): ErrorList {
  const { resourceAttributes, nonResourceAttributes } = spec;
  const { namespace: _, ...rest } = metadata;
  const errors = validateSpec(spec);
  if (!isEmpty(rest)) errors.push(invalid(Path.of('metadata'), metadata, 'must be empty except for namespace'));
  const namespace = resourceAttributes?.namespace ?? '';
  if (resourceAttributes && namespace !== (metadata.namespace ?? ''))
    errors.push(invalid(resourcePath.child('namespace'), namespace, 'must match metadata.namespace'));
  if (nonResourceAttributes)
    errors.push(invalid(nonResourcePath, printable(nonResourceAttributes), 'disallowed on this kind of request'));
  return errors;
}

function validateSpec(spec: SubjectAccessReviewSpec): ErrorList {
  const { user = '', groups = [] } = spec;
  const errors = validateWhat(spec);
  if (!user && groups.length === 0)
    errors.push(invalid(path.child('user'), user, 'at least one of user or group must be specified'));
  return [...errors, ...validateSelectors(spec.resourceAttributes)];
}

/** A review must have exactly one of resourceAttributes and nonResourceAttributes. */
function validateWhat({ resourceAttributes, nonResourceAttributes }: SelfSubjectAccessReviewSpec): ErrorList {
  if (resourceAttributes && nonResourceAttributes) {
    const detail = 'cannot be specified in combination with resourceAttributes';
    return [invalid(nonResourcePath, printable(nonResourceAttributes), detail)];
  }
  if (resourceAttributes || nonResourceAttributes) return [];
  const detail = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
  return [invalid(resourcePath, null, detail)];
}

interface Selector<R> {
  readonly rawSelector?: string;
  readonly requirements?: readonly R[];
}

function validateSelectors(attributes: ResourceAttributes | undefined): ErrorList {
  const { fieldSelector, labelSelector } = attributes ?? {};
  return [
    ...validateSelector(fieldSelector, resourcePath.child('fieldSelector'), (requirement, at) =>
      validateFieldSelectorRequirement(requirement, anyOperator, at),
    ),
    ...validateSelector(labelSelector, resourcePath.child('labelSelector'), (requirement, at) =>
      validateLabelSelectorRequirement(requirement, anyOperator, at),
    ),
  ];
}

/** A selector must have exactly one of rawSelector and requirements. */
function validateSelector<R>(
  selector: Selector<R> | undefined,
  at: Path,
  validateRequirement: (requirement: R, at: Path) => ErrorList,
): ErrorList {
  if (!selector) return [];
  const { rawSelector = '', requirements = [] } = selector;
  const errors: ErrorList = [];
  if (rawSelector && requirements.length > 0)
    errors.push(invalid(at.child('rawSelector'), rawSelector, 'may not specified at the same time as requirements'));
  if (!rawSelector && requirements.length === 0) {
    const detail = `when ${at} is specified, requirements or rawSelector is required`;
    errors.push(required(at.child('requirements'), detail));
  }
  requirements.forEach((requirement, i) => {
    errors.push(...validateRequirement(requirement, at.child('requirements').index(i)));
  });
  return errors;
}

function validateEmptyMetadata(metadata: ObjectMeta): ErrorList {
  return isEmpty(metadata) ? [] : [invalid(Path.of('metadata'), metadata, 'must be empty')];
}

/** Ignores managedFields, which the server itself sets. */
const isEmpty = ({ managedFields: _, ...rest }: ObjectMeta): boolean =>
  Object.values(rest).every((value) => value === undefined || value === null);
