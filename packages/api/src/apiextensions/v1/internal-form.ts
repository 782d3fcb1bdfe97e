import { isJsonObject } from '@coxswain/apimachinery';
import type { CustomResourceDefinitionVersion, JSONSchemaProps } from '../../generated/apiextensions/v1.ts';
import { unlessLong } from '../../strategy/internal-form.ts';

/** A field of one of upstream's internal types, and how it is printed. */
interface InternalField {
  readonly goName: string;
  readonly name: string;
  /** The printed value when the field is not set. */
  readonly zero: unknown;
  readonly print: (value: unknown) => unknown;
}

const zeros: Readonly<Record<string, unknown>> = { text: '', number: 0, boolean: false, pointer: null };
const asIs = (value: unknown): unknown => value;

/**
 * Returns fields in Go's order. `order` has the Go names, each with the JSON name where it is not the Go name in lower
 * camel case.
 */
function fields(
  table: Readonly<Record<string, readonly string[]>>,
  order: string,
  print: Readonly<Record<string, (value: unknown) => unknown>> = {},
): InternalField[] {
  const zeroOf = (goName: string) =>
    Object.entries(table).find(([, names]) => names.includes(goName))?.[0] ?? 'pointer';
  return order
    .trim()
    .split(/\s+/)
    .map((word) => {
      const [goName, name = goName.charAt(0).toLowerCase() + goName.slice(1)] = word.split('=') as [string, string?];
      return { goName, name, zero: zeros[zeroOf(goName)], print: print[goName] ?? asIs };
    });
}

/** Returns a function that converts a value to its internal form: with Go's names and all fields. */
const printer =
  (type: readonly InternalField[]) =>
  (value: unknown): unknown => {
    const source = value as Readonly<Record<string, unknown>>;
    return Object.fromEntries(
      type.map(({ goName, name, zero, print }) => [goName, Object.hasOwn(source, name) ? print(source[name]) : zero]),
    );
  };

const listOf =
  (print: (value: unknown) => unknown) =>
  (value: unknown): unknown =>
    (value as unknown[]).map(print);

const mapOf =
  (print: (value: unknown) => unknown) =>
  (value: unknown): unknown =>
    Object.fromEntries(
      Object.entries(value as object)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, one]) => [key, print(one)]),
    );

const orAllowed = (value: unknown): unknown =>
  isJsonObject(value) ? { Allows: true, Schema: schemaForm(value) } : { Allows: value, Schema: null };

const schemaFields: readonly InternalField[] = fields(
  {
    text: ['ID', 'Schema', 'Description', 'Type', 'Format', 'Title', 'Pattern'],
    boolean: ['Nullable', 'ExclusiveMaximum', 'ExclusiveMinimum', 'UniqueItems', 'XEmbeddedResource', 'XIntOrString'],
  },
  `ID=id Schema=$schema Ref=$ref Description Type Nullable Format Title Default Maximum ExclusiveMaximum Minimum
   ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Enum MaxProperties
   MinProperties Required Items AllOf OneOf AnyOf Not Properties AdditionalProperties PatternProperties Dependencies
   AdditionalItems Definitions ExternalDocs Example XPreserveUnknownFields=x-kubernetes-preserve-unknown-fields
   XEmbeddedResource=x-kubernetes-embedded-resource XIntOrString=x-kubernetes-int-or-string
   XListMapKeys=x-kubernetes-list-map-keys XListType=x-kubernetes-list-type XMapType=x-kubernetes-map-type
   XValidations=x-kubernetes-validations`,
  {
    Items: itemsForm,
    AllOf: listOf(schemaForm),
    OneOf: listOf(schemaForm),
    AnyOf: listOf(schemaForm),
    Not: schemaForm,
    Properties: mapOf(schemaForm),
    AdditionalProperties: orAllowed,
    PatternProperties: mapOf(schemaForm),
    Dependencies: mapOf((value) =>
      Array.isArray(value) ? { Schema: null, Property: value } : { Schema: schemaForm(value), Property: null },
    ),
    AdditionalItems: orAllowed,
    Definitions: mapOf(schemaForm),
    ExternalDocs: printer(fields({ text: ['Description', 'URL'] }, 'Description URL=url')),
    XValidations: listOf((value) => internalRule(value)),
  },
);

/** Returns a rule as upstream's messages print it. */
export const internalRule: (rule: unknown) => unknown = printer(
  fields(
    { text: ['Rule', 'Message', 'MessageExpression', 'FieldPath'] },
    'Rule Message MessageExpression Reason FieldPath OptionalOldSelf',
  ),
);

/** Returns the Go names of the fields that a schema sets, in Go's order. */
export function internalFields(schema: JSONSchemaProps): string[] {
  return schemaFields.filter(({ name }) => Object.hasOwn(schema, name)).map(({ goName }) => goName);
}

/** Returns a schema as upstream's messages print it: its internal form, with Go's names and all fields. */
export const internalSchema = (schema: unknown): unknown => unlessLong(schema, schemaForm);

/** Returns the value of `items` as upstream's messages print it. */
export const internalItems = (items: unknown): unknown => unlessLong(items, itemsForm);

function schemaForm(schema: unknown): unknown {
  return printer(schemaFields)(schema);
}

function itemsForm(items: unknown): unknown {
  return Array.isArray(items)
    ? { Schema: null, JSONSchemas: items.map(schemaForm) }
    : { Schema: schemaForm(items), JSONSchemas: null };
}

const printVersion = printer(
  fields(
    { text: ['Name'], boolean: ['Served', 'Storage', 'Deprecated'] },
    'Name Served Storage Deprecated DeprecationWarning Schema Subresources AdditionalPrinterColumns SelectableFields',
    {
      Schema: printer(fields({}, 'OpenAPIV3Schema=openAPIV3Schema', { OpenAPIV3Schema: schemaForm })),
      Subresources: printer(
        fields({}, 'Status Scale', {
          Scale: printer(
            fields(
              { text: ['SpecReplicasPath', 'StatusReplicasPath'] },
              'SpecReplicasPath StatusReplicasPath LabelSelectorPath',
            ),
          ),
        }),
      ),
      AdditionalPrinterColumns: listOf(
        printer(
          fields(
            { text: ['Name', 'Type', 'Format', 'Description', 'JSONPath'], number: ['Priority'] },
            'Name Type Format Description Priority JSONPath=jsonPath',
          ),
        ),
      ),
      SelectableFields: listOf(printer(fields({ text: ['JSONPath'] }, 'JSONPath=jsonPath'))),
    },
  ),
);

/** Returns versions as upstream's messages print them. */
export function internalVersions(versions: readonly CustomResourceDefinitionVersion[]): unknown {
  return unlessLong(versions, () => versions.map(printVersion));
}
