import type { JSONSchemaProps } from '@coxswain/api/apiextensions/v1';
import { alternatives } from './alternatives.ts';
import { docComment } from './doc-comment.ts';
import { commentOf, type Field, fieldText } from './field.ts';
import { stringLiteral, typeName } from './identifier.ts';

/** Deeper than any real schema, and well below what would overflow the stack. */
const maxDepth = 200;

/** The index signature of an interface that allows other fields. */
export const openFields = '  [key: string]: unknown;\n';

/**
 * Translates the schemas of one file to TypeScript: a type expression for each schema, and an exported type for every
 * object with properties, named by its path from the root.
 */
export class SchemaTypes {
  /** Every declared or imported name of the file, so that no two types get the same name. */
  readonly #names: Set<string>;
  readonly #declarations: string[] = [];

  constructor(takenNames: Iterable<string> = []) {
    this.#names = new Set(takenNames);
  }

  /** The types declared so far, outer before inner. */
  get declarations(): readonly string[] {
    return this.#declarations;
  }

  /** Reserves the name, with a number appended if it is taken. */
  claim(name: string): string {
    let free = name;
    for (let count = 2; this.#names.has(free); count += 1) free = `${name}${count}`;
    this.#names.add(free);
    return free;
  }

  /** The properties of a schema. `name` is the name of the object's type. */
  fields(schema: JSONSchemaProps, name: string, depth = 0): Field[] {
    const required = new Set([schema, ...(schema.allOf ?? [])].flatMap((each) => each.required ?? []));
    return Object.entries(schema.properties ?? {}).map(([key, property]) => ({
      name: key,
      type: this.#expression(property, `${name}${typeName(key)}`, depth + 1),
      required: required.has(key),
      comment: commentOf(property),
    }));
  }

  /** The type expression of a schema. `name` is used if a type must be declared. */
  #expression(schema: JSONSchemaProps, name: string, depth: number): string {
    if (depth > maxDepth) throw new Error(`the schema is nested more than ${maxDepth} levels deep`);
    const type = this.#unlessNull(schema, name, depth);
    return schema.nullable && type !== 'unknown' ? `${type} | null` : type;
  }

  #unlessNull(schema: JSONSchemaProps, name: string, depth: number): string {
    if (schema['x-kubernetes-int-or-string']) return 'number | string';
    const literals = enumLiterals(schema);
    if (literals) return literals;
    switch (schema.type) {
      case 'string':
      case 'boolean':
      case 'number':
        return schema.type;
      case 'integer':
        return 'number';
      case 'array':
        // An array of schemas as `items` is not allowed in a CustomResourceDefinition.
        if (!schema.items || Array.isArray(schema.items)) return 'unknown[]';
        return listOf(this.#expression(schema.items, `${name}Item`, depth + 1));
      case 'object':
        return this.#object(schema, name, depth);
      default:
        return schema.properties ? this.#object(schema, name, depth) : 'unknown';
    }
  }

  #object(schema: JSONSchemaProps, name: string, depth: number): string {
    const { properties, additionalProperties } = schema;
    if (properties || schema['x-kubernetes-embedded-resource']) return this.#declare(schema, name, depth);
    if (typeof additionalProperties === 'object')
      return mapOf(this.#expression(additionalProperties, `${name}Value`, depth + 1));
    const isOpen = additionalProperties === true || schema['x-kubernetes-preserve-unknown-fields'];
    // Without either, the server prunes all fields.
    return mapOf(isOpen ? 'unknown' : 'never');
  }

  #declare(schema: JSONSchemaProps, name: string, depth: number): string {
    const claimed = this.claim(name);
    // Reserves the place now, so that outer types come before inner ones.
    const place = this.#declarations.push('') - 1;
    const own = this.fields(schema, claimed, depth);
    const fields = schema['x-kubernetes-embedded-resource'] ? withTypeAndMetadata(own) : own;
    const open = schema['x-kubernetes-preserve-unknown-fields'] ? openFields : '';
    const body = (list: readonly Field[]): string => `{\n${list.map((field) => fieldText(field)).join('')}${open}}`;
    const choice = alternatives(schema, fields);
    const text = choice
      ? `export type ${claimed} = ${choice.common.length > 0 || open ? `${body(choice.common)} & ` : ''}(\n${choice.branches
          .map((branch) => `  | {\n${branch.map((field) => fieldText(field, '      ')).join('')}    }\n`)
          .join('')});\n`
      : `export interface ${claimed} ${body(fields)}\n`;
    this.#declarations[place] = docComment(commentOf({ ...schema, default: undefined })) + text;
    return claimed;
  }
}

/** Adds the fields that every embedded resource has, also when its schema does not list them. */
function withTypeAndMetadata(fields: readonly Field[]): Field[] {
  const everyObject = [
    { name: 'apiVersion', type: 'string', required: true, comment: [] },
    { name: 'kind', type: 'string', required: true, comment: [] },
    { name: 'metadata', type: 'ObjectMeta', required: false, comment: [] },
  ];
  return [...everyObject, ...fields.filter(({ name }) => !everyObject.some((field) => field.name === name))];
}

/** The enum's values as a union of literals; undefined when there are none or some are objects or arrays. */
function enumLiterals({ enum: values = [] }: JSONSchemaProps): string | undefined {
  const literals = new Set<string>();
  for (const value of values) {
    if (typeof value === 'string') literals.add(stringLiteral(value));
    else if (typeof value === 'number' || typeof value === 'boolean') literals.add(String(value));
    // Null is expressed by `nullable`.
    else if (value !== null) return undefined;
  }
  return literals.size > 0 ? [...literals].join(' | ') : undefined;
}

const listOf = (item: string): string => (item.includes(' | ') ? `(${item})[]` : `${item}[]`);

const mapOf = (value: string): string => `{ [key: string]: ${value} }`;
