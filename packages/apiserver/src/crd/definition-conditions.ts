import {
  approvalAnnotation,
  approvalState,
  isProtectedGroup,
  structuralProblem,
  validateCABundle,
  validateStructural,
} from '@coxswain/api';
import type { CustomResourceDefinition } from '@coxswain/api/apiextensions/v1';
import { type ErrorList, invalid, Path, quote } from '@coxswain/apimachinery';
import type { Condition } from './conditions.ts';

/** The Established condition of a definition whose names are accepted. */
export function establishedCondition({ spec }: CustomResourceDefinition): Condition {
  const { caBundle } = spec.conversion?.webhook?.clientConfig ?? {};
  return caBundle && validateCABundle(caBundle, Path.of('')).length > 0
    ? {
        type: 'Established',
        status: 'False',
        reason: 'InvalidCABundle',
        message: 'The conversion webhook CABundle is invalid',
      }
    : {
        type: 'Established',
        status: 'True',
        reason: 'InitialNamesAccepted',
        message: 'the initial names have been accepted',
      };
}

export const notAcceptedCondition: Condition = {
  type: 'Established',
  status: 'False',
  reason: 'NotAccepted',
  message: 'not all names are accepted',
};

/** Undefined when all schemas are structural, which is required for new definitions. */
export function nonStructuralCondition({ spec }: CustomResourceDefinition): Condition | undefined {
  const type = 'NonStructuralSchema';
  const errors: ErrorList = [];
  if (spec.preserveUnknownFields) errors.push(invalid(Path.of('spec', 'preserveUnknownFields'), true, 'must be false'));
  for (const [i, { name, schema }] of spec.versions.entries()) {
    const root = schema?.openAPIV3Schema;
    if (!root) continue;
    const problem = structuralProblem(root);
    if (problem !== undefined) {
      const message = `failed to check validation schema for version ${name}: ${problem}`;
      return { type, status: 'Unknown', reason: 'StructuralError', message };
    }
    const path = Path.of('spec', 'versions').index(i).child('schema', 'openAPIV3Schema');
    errors.push(...validateStructural(root, path));
  }
  if (errors.length === 0) return undefined;
  const messages = [...new Set(errors.map(String))];
  const message = messages.length === 1 ? messages[0]! : `[${messages.join(', ')}]`;
  return { type, status: 'True', reason: 'Violations', message };
}

const see = 'see https://github.com/kubernetes/enhancements/pull/1111';
const annotationRequired = `protected groups must have approval annotation ${quote(approvalAnnotation)}`;

/** Undefined for groups that are not protected. */
export function approvalCondition({ spec, metadata }: CustomResourceDefinition): Condition | undefined {
  if (!isProtectedGroup(spec.group)) return undefined;
  const annotation = metadata.annotations?.[approvalAnnotation] ?? '';
  const type = 'KubernetesAPIApprovalPolicyConformant';
  switch (approvalState(metadata.annotations)) {
    case 'approved':
      return { type, status: 'True', reason: 'ApprovedAnnotation', message: `approved in ${annotation}` };
    case 'bypassed':
      return { type, status: 'False', reason: 'UnapprovedAnnotation', message: `not approved: ${quote(annotation)}` };
    case 'missing':
      return { type, status: 'False', reason: 'MissingAnnotation', message: `${annotationRequired}, ${see}` };
    case 'invalid':
      return {
        type,
        status: 'False',
        reason: 'InvalidAnnotation',
        message: `${annotationRequired} with either a URL or a reason starting with "unapproved", ${see}`,
      };
  }
}
