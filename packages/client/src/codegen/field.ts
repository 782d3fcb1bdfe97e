import type { JSONSchemaProps } from '@coxswain/api/apiextensions/v1';
import { docComment } from './doc-comment.ts';
import { propertyKey } from './identifier.ts';

/** A property with its TypeScript type. */
export interface Field {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  /** Lines of its doc comment. */
  readonly comment: readonly string[];
}

/** The property as a line of an interface, with its doc comment. */
export function fieldText({ name, type, required, comment }: Field, indent = '  '): string {
  return `${docComment(comment, indent)}${indent}${propertyKey(name)}${required ? '' : '?'}: ${type};\n`;
}

/** The lines of a schema's doc comment: its description and its default. */
export function commentOf({ description, default: value }: JSONSchemaProps): string[] {
  const lines = description?.trim() ? [description.trim()] : [];
  return value === undefined ? lines : [...lines, `@default ${JSON.stringify(value)}`];
}
