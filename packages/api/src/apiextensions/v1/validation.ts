import {
  type ErrorList,
  invalid,
  nameIsDnsSubdomain,
  Path,
  required,
  type Steps,
  validateImmutableField,
  validateObjectMeta,
} from '@coxswain/apimachinery';
import type { CustomResourceDefinition } from '../../generated/apiextensions/v1.ts';
import { type ApprovalState, approvalAnnotation, approvalState, isProtectedGroup } from './approval.ts';
import type { RuleChecks } from './rule-checks.ts';
import { validateNames, validateSpec } from './spec-validation.ts';
import { isEstablished, strict, strictnessAfter } from './strictness.ts';

const spec = Path.of('spec');
const status = Path.of('status');

/** Validates a new definition, metadata included. Its name must be made of plural name and group. */
export function* validateDefinition(definition: CustomResourceDefinition, rules?: RuleChecks): Steps<ErrorList> {
  const { group, names } = definition.spec;
  const validateName = (name: string, prefix: boolean) => {
    const problems = nameIsDnsSubdomain(name, prefix);
    return name === `${names?.plural ?? ''}.${group ?? ''}`
      ? problems
      : [...problems, 'must be spec.names.plural+"."+spec.group'];
  };
  return [
    ...validateObjectMeta(definition.metadata, false, validateName, Path.of('metadata')),
    ...(yield* validateSpec(definition.spec, strict, spec, rules)),
    ...validateRest(definition),
  ];
}

export function* validateDefinitionUpdate(
  updated: CustomResourceDefinition,
  old: CustomResourceDefinition,
  rules?: RuleChecks,
): Steps<ErrorList> {
  const strictness = yield* strictnessAfter(old, updated);
  const errors = yield* validateSpec(updated.spec, strictness, spec, rules);
  const immutable = (place: Path, newValue: string | undefined, oldValue: string | undefined) =>
    errors.push(...validateImmutableField(newValue, oldValue, place));
  if (isEstablished(old)) {
    immutable(spec.child('scope'), updated.spec.scope, old.spec.scope);
    immutable(spec.child('names', 'kind'), updated.spec.names?.kind, old.spec.names?.kind);
  }
  immutable(spec.child('group'), updated.spec.group, old.spec.group);
  immutable(spec.child('names', 'plural'), updated.spec.names?.plural, old.spec.names?.plural);
  return [...errors, ...validateRest(updated, old)];
}

function validateRest(definition: CustomResourceDefinition, old?: CustomResourceDefinition): ErrorList {
  return [
    ...validateDefinitionStatus(definition),
    ...validateStoredVersions(definition),
    ...validateApproval(definition, old),
    ...validatePreserveUnknownFields(definition, old),
  ];
}

export function validateDefinitionStatus(definition: CustomResourceDefinition): ErrorList {
  return validateNames(definition.status?.acceptedNames, status.child('acceptedNames'));
}

function validateStoredVersions(definition: CustomResourceDefinition): ErrorList {
  const path = status.child('storedVersions');
  const stored = definition.status?.storedVersions ?? [];
  const versions = definition.spec.versions ?? [];
  if (stored.length === 0) {
    return [invalid(path, definition.status?.storedVersions ?? null, 'must have at least one stored version')];
  }
  const errors: ErrorList = [];
  for (const [index, { name, storage }] of versions.entries()) {
    // As upstream: of versions with the same name, only the first matches a stored version.
    const again = versions.findIndex((version) => version.name === name) !== index;
    if (storage && (again || !stored.includes(name))) {
      errors.push(invalid(path, stored, `must have the storage version ${name}`));
    }
  }
  stored.forEach((name, i) => {
    if (versions.some((version) => version.name === name) || stored.lastIndexOf(name) !== i) return;
    const detail = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    errors.push(invalid(path.index(i), name, detail));
  });
  return errors;
}

function validateApproval(definition: CustomResourceDefinition, old: CustomResourceDefinition | undefined): ErrorList {
  if (!isProtectedGroup(definition.spec.group)) return [];
  const annotations = definition.metadata.annotations;
  const state: ApprovalState = approvalState(annotations);
  if (old && approvalState(old.metadata.annotations) === state) return [];
  const path = Path.of('metadata', 'annotations').key(approvalAnnotation);
  const proposal = 'see https://github.com/kubernetes/enhancements/pull/1111';
  const needed = `protected groups must have approval annotation "${approvalAnnotation}"`;
  if (state === 'missing') return [required(path, `${needed}, ${proposal}`)];
  if (state !== 'invalid') return [];
  const detail = `${needed} with either a URL or a reason starting with "unapproved", ${proposal}`;
  return [invalid(path, annotations?.[approvalAnnotation], detail)];
}

function validatePreserveUnknownFields(
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
): ErrorList {
  if (!definition.spec.preserveUnknownFields || old?.spec.preserveUnknownFields) return [];
  const detail =
    'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
  return [invalid(spec.child('preserveUnknownFields'), true, detail)];
}
