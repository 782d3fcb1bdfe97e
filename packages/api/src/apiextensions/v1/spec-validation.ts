import {
  byteLength,
  type ErrorList,
  forbidden,
  invalid,
  isDns1035Label,
  isDns1123Subdomain,
  isLongerThan,
  notSupported,
  type Path,
  required,
  type Steps,
} from '@coxswain/apimachinery';
import type {
  CustomResourceDefinitionNames,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
  CustomResourceValidation,
  JSONSchemaProps,
} from '../../generated/apiextensions/v1.ts';
import { someSchema } from '../schema/schema-visitor.ts';
import { validateColumn, validateSelectableFields, validateSubresources } from './columns-and-subresources.ts';
import { validateConversion } from './conversion-validation.ts';
import { validateDefaults } from './default-values.ts';
import { internalFields, internalSchema, internalVersions } from './internal-form.ts';
import type { RuleChecks } from './rule-checks.ts';
import { validateSchemaRules } from './schema-rules.ts';
import { schemasOf, specForm } from './spec-form.ts';
import type { Strictness } from './strictness.ts';
import { structuralProblem, validateStructuralInSteps } from './structural.ts';

/** Validates the whole spec. */
export function* validateSpec(
  spec: CustomResourceDefinitionSpec,
  strictness: Strictness,
  path: Path,
  rules?: RuleChecks,
): Steps<ErrorList> {
  const errors = validateGroup(spec.group, path.child('group'));
  const form = specForm(spec);
  yield;
  const { common } = form;
  const versionsPath = path.child('versions');
  const preserves = spec.preserveUnknownFields === true;
  errors.push(...oneOf(spec.scope, ['Cluster', 'Namespaced'], path.child('scope')));
  const schemas = schemasOf(spec);
  if (!common.schema?.openAPIV3Schema && (strictness.schema || !preserves)) {
    form.versions.forEach(({ schema, served }, i) => {
      if (schema?.openAPIV3Schema || !(strictness.schema || served)) return;
      const detail = strictness.schema ? '' : 'because otherwise all fields are pruned';
      errors.push(required(versionsPath.index(i).child('schema', 'openAPIV3Schema'), detail));
    });
  }
  const hasDefaults = schemas.some((schema) => someSchema(schema, (inner) => inner.default !== undefined));
  yield;
  if (hasDefaults && preserves) {
    const detail = 'must be false in order to use defaults in the schema';
    errors.push(invalid(path.child('preserveUnknownFields'), true, detail));
  }
  const structural =
    strictness.structural || !preserves || hasDefaults || schemas.some((schema) => someSchema(schema, isExtended));
  yield;
  const schemaStrictness = { ...strictness, structural };
  for (const [i, version] of form.versions.entries()) {
    const versionPath = versionsPath.index(i);
    const problems = isDns1035Label(version.name ?? '');
    if (problems.length > 0) errors.push(invalid(versionPath.child('name'), version.name ?? '', problems.join(',')));
    const subresources = form.versions.some((one) => one.subresources) ? version.subresources : common.subresources;
    const hasStatus = subresources?.status !== undefined;
    errors.push(...(yield* validateVersion(version, hasStatus, schemaStrictness, versionPath, rules)));
  }
  const complain = (detail: string) =>
    errors.push(invalid(versionsPath, spec.versions && internalVersions(form.versions), detail));
  const names = form.versions.map(({ name }) => name);
  if (new Set(names).size !== names.length) complain('must contain unique version names');
  if (form.versions.filter(({ storage }) => storage).length !== 1) {
    complain('must have exactly one version marked as storage version');
  }
  const firstName = names[0] ?? '';
  const nameProblems = firstName === '' ? [] : isDns1035Label(firstName);
  if (nameProblems.length > 0) errors.push(invalid(path.child('version'), firstName, nameProblems.join(',')));
  for (const field of ['plural', 'singular', 'kind', 'listKind'] as const) {
    if (!spec.names?.[field]) errors.push(required(path.child('names', field)));
  }
  errors.push(...validateNames(spec.names, path.child('names')));
  const hasStatus = (spec.versions ?? []).some(({ subresources }) => subresources?.status !== undefined);
  const isUnchanged = strictness.unchangedSchema(firstName);
  yield;
  const validation = path.child('validation');
  errors.push(
    ...(yield* validateSchema(common.schema, hasStatus, schemaStrictness, validation, { rules, isUnchanged })),
  );
  yield;
  errors.push(...validateSubresources(common.subresources, path.child('subresources')));
  common.additionalPrinterColumns?.forEach((column, i) => {
    errors.push(...validateColumn(column, path.child('additionalPrinterColumns').index(i)));
  });
  if (common.selectableFields?.length) {
    const selectable = path.child('selectableFields');
    if (!common.schema) {
      errors.push(invalid(selectable, '', 'may only be set when validations.schema is included'));
    } else {
      const schema = common.schema.openAPIV3Schema;
      errors.push(
        ...validateSelectableFields(common.selectableFields, schema, strictness.tooManySelectable(''), selectable),
      );
    }
  }
  const { conversion } = spec;
  if (conversion && conversion.strategy !== 'None' && preserves) {
    const detail = 'must be None if spec.preserveUnknownFields is true';
    errors.push(invalid(path.child('conversion', 'strategy'), conversion.strategy, detail));
  }
  if (conversion) errors.push(...validateConversion(conversion, strictness, path.child('conversion')));
  return errors;
}

const isExtended = (schema: object): boolean =>
  Object.keys(schema).some((key) => key.startsWith('x-kubernetes-') && key !== 'x-kubernetes-map-type');

function validateGroup(group: string | undefined, path: Path): ErrorList {
  if (!group) return [required(path)];
  const problems = isDns1123Subdomain(group);
  if (problems.length > 0) return [invalid(path, group, problems.join(','))];
  return group.includes('.') ? [] : [invalid(path, group, 'should be a domain with at least one dot')];
}

function oneOf(value: string | undefined, accepted: readonly string[], path: Path): ErrorList {
  if (!value) return [required(path)];
  return accepted.includes(value) ? [] : [notSupported(path, value, accepted)];
}

/** Validates the names of the resource, in spec or as accepted in status. */
export function validateNames(names: Partial<CustomResourceDefinitionNames> | undefined, path: Path): ErrorList {
  const errors: ErrorList = [];
  if (!names) return errors;
  const label = (value: string | undefined, place: Path) => {
    const problems = value ? isDns1035Label(value) : [];
    if (problems.length > 0) errors.push(invalid(place, value, problems.join(',')));
  };
  label(names.plural, path.child('plural'));
  label(names.singular, path.child('singular'));
  for (const field of ['kind', 'listKind'] as const) {
    const problems = names[field] ? isDns1035Label(names[field].toLowerCase()) : [];
    if (problems.length === 0) continue;
    const detail = `may have mixed case, but should otherwise match: ${problems.join(',')}`;
    errors.push(invalid(path.child(field), names[field], detail));
  }
  const labels = (values: readonly string[] | undefined, place: Path) =>
    values?.forEach((value, i) => {
      const problems = isDns1035Label(value);
      if (problems.length > 0) errors.push(invalid(place.index(i), value, problems.join(',')));
    });
  labels(names.shortNames, path.child('shortNames'));
  if (names.kind && names.kind === names.listKind) {
    errors.push(invalid(path.child('listKind'), names.listKind, 'kind and listKind may not be the same'));
  }
  labels(names.categories, path.child('categories'));
  return errors;
}

function* validateVersion(
  version: CustomResourceDefinitionVersion,
  hasStatus: boolean,
  strictness: Strictness,
  path: Path,
  rules: RuleChecks | undefined,
): Steps<ErrorList> {
  const errors: ErrorList = [];
  const warning = version.deprecationWarning;
  for (const problem of deprecationWarningProblems(version.deprecated === true, warning)) {
    errors.push(invalid(path.child('deprecationWarning'), warning, problem));
  }
  const isUnchanged = strictness.unchangedSchema(version.name);
  yield;
  const schemaPath = path.child('schema');
  errors.push(...(yield* validateSchema(version.schema, hasStatus, strictness, schemaPath, { rules, isUnchanged })));
  errors.push(...validateSubresources(version.subresources, path.child('subresources')));
  version.additionalPrinterColumns?.forEach((column, i) => {
    errors.push(...validateColumn(column, path.child('additionalPrinterColumns').index(i)));
  });
  if (version.selectableFields?.length) {
    const selectable = path.child('selectableFields');
    const schema = version.schema?.openAPIV3Schema;
    if (!schema) {
      const detail = 'may only be set when `version.schema.openAPIV3Schema` is not included';
      errors.push(invalid(selectable, '', detail));
    } else {
      const tooManyAllowed = strictness.tooManySelectable(version.name);
      errors.push(...validateSelectableFields(version.selectableFields, schema, tooManyAllowed, selectable));
    }
  }
  return errors;
}

function deprecationWarningProblems(isDeprecated: boolean, warning: string | undefined): string[] {
  if (warning === undefined) return [];
  if (!isDeprecated) return ['can only be set for deprecated versions'];
  const problems: string[] = [];
  if (isLongerThan(warning, 256)) problems.push('must be <= 256 characters long');
  if (warning === '') problems.push('must not be an empty string');
  const at = warning.search(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u);
  if (at >= 0) {
    const index = byteLength(warning.slice(0, at));
    problems.push(`must only contain printable UTF-8 characters; non-printable character found at index ${index}`);
  }
  return problems;
}

const allowedAtRoot =
  'Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations';

function* validateSchema(
  validation: CustomResourceValidation | undefined,
  hasStatus: boolean,
  strictness: Strictness,
  path: Path,
  { rules, isUnchanged }: { readonly rules: RuleChecks | undefined; readonly isUnchanged: boolean },
): Steps<ErrorList> {
  const schema = validation?.openAPIV3Schema;
  if (!schema) return [];
  const schemaPath = path.child('openAPIV3Schema');
  const errors: ErrorList = [];
  if (hasStatus) {
    // The status subresource is validated by its own part of the schema, which keywords at the root would not reach.
    const allowed = allowedAtRoot.split(' ');
    const culprit = internalFields(schema).find((name) =>
      name === 'Type' ? schema.type !== 'object' : !allowed.includes(name),
    );
    if (culprit === 'Type') {
      const detail =
        'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
      errors.push(invalid(schemaPath.child('type'), schema.type, detail));
    } else if (culprit) {
      const detail = `only [${allowedAtRoot}] fields are allowed at the root of the schema if the status subresource is enabled`;
      errors.push(invalid(schemaPath, internalSchema(schema), detail));
    }
  }
  if (schema.nullable) errors.push(forbidden(schemaPath.child('nullable'), 'nullable cannot be true at the root'));
  const problem = strictness.structural ? structuralProblem(schema) : undefined;
  yield;
  let isSound = false;
  if (strictness.structural && problem === undefined) {
    const structuralErrors = yield* validateStructuralInSteps(schema, schemaPath);
    yield;
    const found =
      structuralErrors.length > 0
        ? structuralErrors
        : validateDefaults(schema, schemaPath, strictness.prunedDefaults, rules);
    isSound = found.length === 0;
    errors.push(...found);
    yield;
  }
  const unsound = new Set<JSONSchemaProps>();
  errors.push(...validateSchemaRules(schema, strictness, schemaPath, unsound));
  yield;
  if (isSound && rules) errors.push(...rules.validateRules(schema, schemaPath, { unsound, isUnchanged }));
  // Most structural problems are already reported by the rules above, with better messages.
  return errors.length === 0 && problem !== undefined ? [invalid(schemaPath, '', problem)] : errors;
}
