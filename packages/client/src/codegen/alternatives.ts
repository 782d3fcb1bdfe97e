import type { JSONSchemaProps } from '@coxswain/api/apiextensions/v1';
import type { Field } from './field.ts';

interface Alternatives {
  /** Those that belong to no branch. */
  readonly common: readonly Field[];
  /** Each with all fields that belong to some branch; those of others may not be there. */
  readonly branches: readonly (readonly Field[])[];
}

/**
 * The simple `oneOf`, where each branch only says which properties there must be: one form per branch, in which those of
 * the other branches are absent. Nothing for all else that `oneOf` can say; that is left to the server.
 */
export function alternatives({ oneOf = [] }: JSONSchemaProps, fields: readonly Field[]): Alternatives | undefined {
  if (oneOf.length < 2 || !oneOf.every((branch) => Object.keys(branch).join() === 'required')) return undefined;
  const names = oneOf.map(({ required = [] }) => new Set(required));
  const chosen = fields.filter(({ name, required }) => !required && names.some((branch) => branch.has(name)));
  const count = names.reduce((sum, branch) => sum + branch.size, 0);
  // Unless each name is a field's, optional, and in one branch only, the branches cannot be told apart this way.
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
