import type { Strategy } from '@coxswain/api';
import type { CustomResourceDefinitionVersion, SelectableField } from '@coxswain/api/apiextensions/v1';
import {
  type ErrorList,
  formatValue,
  type GroupVersionKind,
  invalid,
  isQualifiedName,
  jsonEquals,
  type KubernetesObject,
  nameIsDnsSubdomain,
  nestedInt64,
  nestedString,
  Path,
  quote,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from '@coxswain/apimachinery';
import { messageOf } from '@coxswain/apimachinery/errors';
import { compileJsonPath, type JsonPath } from './json-path/index.ts';
import { printerColumns } from './printer-columns.ts';
import type { CustomResourceSchema } from './schema/index.ts';

const metadata = Path.of('metadata');

/** The strategy for objects of one version of a custom resource. */
export function customResourceStrategy(
  kind: GroupVersionKind,
  namespaced: boolean,
  version: CustomResourceDefinitionVersion,
  schema: CustomResourceSchema,
  selectable: readonly SelectableField[],
): Strategy {
  const { status, scale } = version.subresources ?? {};
  const ofScale = scale ? scaleChecks(scale) : noChecks;
  /** Reports only the wrong type for an object of another kind. */
  const unlessOtherKind =
    <O extends readonly KubernetesObject[]>(check: (object: KubernetesObject, ...old: O) => ErrorList) =>
    (object: KubernetesObject, ...old: O): ErrorList => {
      const wrongType = typeErrors(object, kind);
      return wrongType.length > 0 ? wrongType : check(object, ...old);
    };
  const changedMetadata = (object: KubernetesObject, old: KubernetesObject): ErrorList =>
    validateObjectMetaUpdate(object.metadata ?? {}, old.metadata ?? {}, metadata);
  const validate = unlessOtherKind((object) => [
    ...validateObjectMeta(object.metadata ?? {}, namespaced, nameIsDnsSubdomain, metadata),
    ...schema.validate(asFields(object), { scaleErrors: ofScale(object, 'all') }),
  ]);
  const validateUpdate = unlessOtherKind((object, old: KubernetesObject) => [
    ...changedMetadata(object, old),
    ...schema.validate(asFields(object), { old: asFields(old), scaleErrors: ofScale(object, 'all') }),
  ]);
  const validateStatus = unlessOtherKind((object, old: KubernetesObject) => [
    ...changedMetadata(object, old),
    ...schema.validateStatus(asFields(object), asFields(old), ofScale(object, 'status')),
  ]);
  return {
    validatesMetadata: true,
    validatesMetadataUpdate: true,
    allowsAnyFinalizer: true,
    allowUnconditionalUpdate: false,
    generation: (object, old) => !jsonEquals(withoutMetadata(object), withoutMetadata(old)),
    validate: (object) => validate(object),
    validateUpdate: (object, old) => validateUpdate(object, old),
    validateRules: (object, old, errors, { warn }) =>
      typeErrors(object, kind).length > 0
        ? []
        : schema.validateRules(asFields(object), old && asFields(old), errors, warn),
    warningsOnCreate: (object) => finalizerWarnings(object, undefined),
    warningsOnUpdate: finalizerWarnings,
    ...(status && {
      subresources: {
        status: {
          owns: ['status'],
          metadata: 'none',
          validatesMetadataUpdate: true,
          validateUpdate: (object, old) => validateStatus(object, old),
        },
      },
    }),
    selectableFields: selectableFieldsOf(selectable),
    table: printerColumns(version.additionalPrinterColumns),
  };
}

/** Gives access to arbitrary fields of a custom object. */
export const asFields = (object: KubernetesObject): Record<string, unknown> => object as Record<string, unknown>;

function withoutMetadata({ metadata: _, ...rest }: KubernetesObject): object {
  return rest;
}

function typeErrors({ kind = '', apiVersion = '' }: KubernetesObject, expected: GroupVersionKind): ErrorList {
  const errors: ErrorList = [];
  if (kind !== expected.kind) errors.push(invalid(Path.of('kind'), kind, `must be ${expected.kind}`));
  if (apiVersion !== expected.apiVersion)
    errors.push(invalid(Path.of('apiVersion'), apiVersion, `must be ${expected.apiVersion}`));
  return errors;
}

type ScaleChecks = (object: KubernetesObject, part: 'all' | 'status') => ErrorList;

const noChecks: ScaleChecks = () => [];

/** The field names of a scale path: without the leading dot, split at dots. */
export const splitPath = (path: string): string[] => path.replace(/^\./, '').split('.');

/** Validates the fields that the scale subresource reads. */
function scaleChecks(
  scale: NonNullable<NonNullable<CustomResourceDefinitionVersion['subresources']>['scale']>,
): ScaleChecks {
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = scale;
  const replicas = (object: KubernetesObject, path: string): ErrorList => {
    const place = Path.of(path);
    let value: number | bigint;
    try {
      value = nestedInt64(object, ...splitPath(path)) ?? 0;
    } catch (error) {
      return [invalid(place, 0, messageOf(error))];
    }
    if (value < 0) return [invalid(place, value, 'should be a non-negative integer')];
    return value > int32Max ? [invalid(place, value, `should be less than or equal to ${int32Max}`)] : [];
  };
  const selector = (object: KubernetesObject, path: string): ErrorList => {
    try {
      nestedString(object, ...splitPath(path));
      return [];
    } catch (error) {
      return [invalid(Path.of(path), '', messageOf(error))];
    }
  };
  return (object, part) => [
    ...(part === 'all' ? replicas(object, specReplicasPath) : []),
    ...replicas(object, statusReplicasPath),
    ...(labelSelectorPath ? selector(object, labelSelectorPath) : []),
  ];
}

const int32Max = 2 ** 31 - 1;

const standardFinalizers: ReadonlySet<string> = new Set(['orphan', 'foregroundDeletion', 'kubernetes']);

function finalizerWarnings(object: KubernetesObject, old: KubernetesObject | undefined): string[] {
  const before = new Set(old?.metadata?.finalizers ?? []);
  const added = [...new Set(object.metadata?.finalizers ?? [])].filter((name) => !before.has(name));
  return added.sort().flatMap((name) => {
    const warn = (text: string): string => `metadata.finalizers: ${quote(name)}: ${text}`;
    const warnings = isQualifiedName(name).map(warn);
    if (name.includes('/') || standardFinalizers.has(name)) return warnings;
    const which = name.includes('.')
      ? 'a domain-qualified finalizer name including a path (/)'
      : 'a domain-qualified finalizer name';
    return [...warnings, warn(`prefer ${which} to avoid accidental conflicts with other finalizer writers`)];
  });
}

/** The label of a selectable field: its path without the leading dot. */
export const selectableName = ({ jsonPath }: SelectableField): string => jsonPath.replace(/^\./, '');

function selectableFieldsOf(fields: readonly SelectableField[]): Record<string, (object: KubernetesObject) => string> {
  return Object.fromEntries(
    fields.map((field) => {
      const find = compileJsonPath(field.jsonPath);
      return [selectableName(field), (object: KubernetesObject) => textAt(find, object)];
    }),
  );
}

function textAt(find: JsonPath, object: KubernetesObject): string {
  const [value] = find(object);
  return value === undefined || value === null ? '' : formatValue(value);
}
