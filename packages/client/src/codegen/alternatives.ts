import type { JSONSchemaProps } from '@coxswain/api/apiextensions/v1';
import type { Field } from './field.ts';

interface Alternatives {
  /** Fields that belong to no branch. */
  readonly common: readonly Field[];
  /** Each has the fields of all branches; those of the other branches have the type `never`. */
  readonly branches: readonly (readonly Field[])[];
}

/**
 * Translates a `oneOf` in which each branch only lists required properties: one form per branch, in which the
 * properties of the other branches must be absent. Returns undefined for every other use of `oneOf`; the server
 * validates those.
 */
export function alternatives({ oneOf = [] }: JSONSchemaProps, fields: readonly Field[]): Alternatives | undefined {
  if (oneOf.length < 2 || !oneOf.every((branch) => Object.keys(branch).join() === 'required')) return undefined;
  const names = oneOf.map(({ required = [] }) => new Set(required));
  const chosen = fields.filter(({ name, required }) => !required && names.some((branch) => branch.has(name)));
  const count = names.reduce((sum, branch) => sum + branch.size, 0);
  // Every name must be an optional field and belong to one branch only; otherwise a union cannot express the choice.
  if (names.some((branch) => branch.size === 0) || count !== chosen.length) return undefined;
  return {
    common: fields.filter((field) => !chosen.includes(field)),
    branches: names.map((branch) =>
      chosen.map((field) =>
        branch.has(field.name) ? { ...field, required: true } : { ...field, type: 'never', comment: [] },
      ),
    ),
  };
}
