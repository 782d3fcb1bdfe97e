import { Path } from '@coxswain/apimachinery';
import type { JSONSchemaProps } from '../../generated/apiextensions/v1.ts';
import { additionalSchema, propertySchema } from '../schema/schema-visitor.ts';

/** The field that a path leads to. */
export interface FieldPathTarget {
  /** Names of the fields along the path. */
  readonly fields: readonly string[];
  /** The path as errors print it: fields after a dot, keys of maps in brackets. */
  readonly text: string;
  readonly schema: JSONSchemaProps | undefined;
}

class FieldPathError extends Error {}

/** Tokens: single delimiters, quoted strings with their quotes, and the text between. */
const token = /'(?:[^'\\]|\\.)*'|'[\s\S]*$|[.[\]]|[^.[\]']+[^.[\]]*/g;

const escapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  "'": "'",
  '\\': '\\',
};

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, (found, char: string) => {
    if (!Object.hasOwn(escapes, char)) {
      throw new FieldPathError(`invalid string literal: invalid escape char ${found}`);
    }
    return escapes[char]!;
  });
}

/**
 * Resolves a path of fields (`.spec.size`, `.data['a.b']`) in a schema. Returns upstream's error message when it does
 * not lead to a field.
 */
export function resolveFieldPath(
  text: string,
  schema: JSONSchemaProps,
  { allowBrackets }: { readonly allowBrackets: boolean },
): FieldPathTarget | string {
  const tokens = text.match(token) ?? [];
  const fields: string[] = [];
  let path: Path | undefined;
  let current: JSONSchemaProps | undefined = schema;
  let position = 0;
  const take = (): string => {
    const next = tokens[position++];
    if (next === undefined) throw new FieldPathError('unexpected end of JSON path');
    return next;
  };
  const enter = (name: string): void => {
    const isNamed = Object.keys(current?.properties ?? {}).length > 0;
    if (!current || (!isNamed && current.additionalProperties === undefined)) {
      throw new FieldPathError('does not refer to a valid field');
    }
    const next: JSONSchemaProps | undefined = isNamed ? propertySchema(current, name) : additionalSchema(current);
    if (isNamed && !next) throw new FieldPathError('does not refer to a valid field');
    fields.push(name);
    path = isNamed ? (path ? path.child(name) : Path.of(name)) : (path ?? Path.of('')).key(name);
    current = next;
  };
  try {
    while (position < tokens.length) {
      const delimiter = take();
      if (delimiter === '.') enter(take());
      else if (delimiter === '[') {
        if (!allowBrackets) throw new FieldPathError('array notation is not allowed');
        const key = take();
        if (!/^'[\s\S]*'$/.test(key) || key.length < 2) {
          throw new FieldPathError(`expected single quoted string but got ${key}`);
        }
        enter(unescaped(key.slice(1, -1)));
        const end = take();
        if (end !== ']') throw new FieldPathError(`expected ] but got ${end}`);
      } else throw new FieldPathError(`expected [ or . but got: ${delimiter}`);
    }
  } catch (error) {
    if (error instanceof FieldPathError) return error.message;
    throw error;
  }
  return { fields, text: String(path ?? ''), schema: current };
}
