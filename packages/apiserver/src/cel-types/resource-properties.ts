import type { JSONSchemaProps } from '@coxswain/api/apiextensions/v1';

const text: JSONSchemaProps = { type: 'string' };

/** Properties that CEL rules see in every resource, also when its schema omits them. */
const always: readonly (readonly [string, JSONSchemaProps])[] = [
  ['kind', text],
  ['apiVersion', text],
  ['metadata', { type: 'object', properties: { name: text, generateName: text } }],
];

/** The properties of a root or embedded resource that CEL rules see. */
export function resourceProperties(
  properties: Readonly<Record<string, JSONSchemaProps>>,
): Iterable<readonly [string, JSONSchemaProps]> {
  return specifiesAll(properties) ? Object.entries(properties) : new Map([...Object.entries(properties), ...always]);
}

function specifiesAll(properties: Readonly<Record<string, JSONSchemaProps>>): boolean {
  const own = (name: string): JSONSchemaProps => (Object.hasOwn(properties, name) ? properties[name]! : {});
  const { type, properties: fields = {} } = own('metadata');
  const isText = (name: string): boolean => Object.hasOwn(fields, name) && fields[name]!.type === 'string';
  return (
    own('kind').type === 'string' &&
    own('apiVersion').type === 'string' &&
    type === 'object' &&
    isText('name') &&
    isText('generateName')
  );
}
