import type { ScalarKind } from '@coxswain/apimachinery';
import type { Dialect, JsonObject } from './dialect.ts';

/** Scalars that are inlined in the field. */
export const inlineScalars: Partial<Readonly<Record<ScalarKind, JsonObject>>> = {
  string: { type: 'string' },
  bytes: { type: 'string', format: 'byte' },
  bool: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  double: { type: 'number', format: 'double' },
};

/** Go's zero values, which are upstream's defaults of fields that are always encoded. */
export const zeroValues: Partial<Readonly<Record<ScalarKind, unknown>>> = {
  string: '',
  bool: false,
  int32: 0,
  int64: 0,
  double: 0,
};

const names = {
  quantity: 'io.k8s.apimachinery.pkg.api.resource.Quantity',
  intOrString: 'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
  time: 'io.k8s.apimachinery.pkg.apis.meta.v1.Time',
  microTime: 'io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime',
  duration: 'io.k8s.apimachinery.pkg.apis.meta.v1.Duration',
  any: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON',
  rawObject: 'io.k8s.apimachinery.pkg.runtime.RawExtension',
  fieldsV1: 'io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1',
} as const;

/** Scalars with their own definition. */
export const namedScalars: Partial<Readonly<Record<ScalarKind, string>>> = names;

export const alternativeNames = {
  bool: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool',
  array: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray',
  stringArray: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray',
} as const;

export const patchName = 'io.k8s.apimachinery.pkg.apis.meta.v1.Patch';
export const versionInfoName = 'io.k8s.apimachinery.pkg.version.Info';

const dateTime: JsonObject = { type: 'string', format: 'date-time' };
const anyObject: JsonObject = { type: 'object' };

/** The fields of the response of `/version`. Those with a question mark are optional. */
const versionFields =
  'buildDate compiler emulationMajor? emulationMinor? gitCommit gitTreeState gitVersion goVersion major minCompatibilityMajor? minCompatibilityMinor? minor platform';
const requiredVersionFields = [
  'major',
  'minor',
  'gitVersion',
  'gitCommit',
  'gitTreeState',
  'buildDate',
  'goVersion',
  'compiler',
  'platform',
];

/** Definitions of types that are not in the catalogue, without descriptions. */
export const specialDefinitions: ReadonlyMap<string, (dialect: Dialect) => JsonObject> = new Map([
  [
    names.quantity,
    ({ oneOf }: Dialect) => (oneOf ? { oneOf: [{ type: 'string' }, { type: 'number' }] } : { type: 'string' }),
  ],
  [
    names.intOrString,
    ({ oneOf }: Dialect) => ({
      ...(!oneOf && { type: 'string' }),
      format: 'int-or-string',
      ...(oneOf && { oneOf: [{ type: 'integer' }, { type: 'string' }] }),
    }),
  ],
  [names.time, () => dateTime],
  [names.microTime, () => dateTime],
  [names.duration, () => ({ type: 'string' })],
  [names.any, () => ({})],
  [names.rawObject, () => anyObject],
  [names.fieldsV1, () => anyObject],
  [alternativeNames.bool, () => ({})],
  [alternativeNames.array, () => ({})],
  [alternativeNames.stringArray, () => ({})],
  [patchName, () => anyObject],
  [versionInfoName, versionInfo],
]);

function versionInfo({ defaults }: Dialect): JsonObject {
  const properties = versionFields.split(' ').map((field) => {
    const optional = field.endsWith('?');
    return [field.replace('?', ''), { type: 'string', ...(defaults && !optional && { default: '' }) }];
  });
  return { type: 'object', required: requiredVersionFields, properties: Object.fromEntries(properties) };
}
