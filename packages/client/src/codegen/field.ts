import type { JSONSchemaProps } from '@coxswain/api/apiextensions/v1';
import { docComment } from './doc-comment.ts';
import { propertyKey } from './identifier.ts';

/** A property, once its type is known. */
export interface Field {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  /** Lines for its comment. */
  readonly comment: readonly string[];
}

/** As a line of an interface, under its comment. */
export function fieldText({ name, type, required, comment }: Field, indent = '  '): string {
  return `${docComment(comment, indent)}${indent}${propertyKey(name)}${required ? '' : '?'}: ${type};\n`;
}

/** What a reader wants to know of a schema: its description, and what the server fills in. */
export function commentOf({ description, default: value }: JSONSchemaProps): string[] {
  const lines = description?.trim() ? [description.trim()] : [];
  return value === undefined ? lines : [...lines, `@default ${JSON.stringify(value)}`];
}
