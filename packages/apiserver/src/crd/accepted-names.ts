import type { CustomResourceDefinition, CustomResourceDefinitionNames } from '@coxswain/api/apiextensions/v1';
import { jsonEquals, quote } from '@coxswain/apimachinery';
import type { Condition } from './conditions.ts';

export interface AcceptedNames {
  readonly names: CustomResourceDefinitionNames;
  readonly condition: Condition;
}

/**
 * Determines the accepted names of a definition: those that it already has, and those that no other definition of its
 * group has. `others`: the accepted names of the other definitions.
 */
export function acceptNames(
  { spec, status }: CustomResourceDefinition,
  others: readonly CustomResourceDefinitionNames[],
): AcceptedNames {
  const { names: wanted } = spec;
  const accepted: CustomResourceDefinitionNames = { plural: '', kind: '', ...status?.acceptedNames };
  const all = [...others, accepted];
  const resources = new Set(
    all.flatMap(({ plural, singular = '', shortNames = [] }) => [plural, singular, ...shortNames]),
  );
  const kinds = new Set(all.flatMap(({ kind, listKind = '' }) => [kind, listKind]));
  const names = { ...accepted };
  const conflicts: (readonly [reason: string, message: string])[] = [];

  const accept = (
    field: 'plural' | 'singular' | 'kind' | 'listKind',
    used: ReadonlySet<string>,
    reason: string,
  ): void => {
    const name = wanted[field] ?? '';
    if (name !== (accepted[field] ?? '') && used.has(name)) conflicts.push([reason, inUse(name)]);
    else names[field] = name;
  };

  accept('plural', resources, 'PluralConflict');
  accept('singular', resources, 'SingularConflict');
  if (!jsonEquals(wanted.shortNames ?? [], accepted.shortNames ?? [])) {
    const own = new Set(accepted.shortNames ?? []);
    const taken = (wanted.shortNames ?? []).filter((name) => !own.has(name) && resources.has(name));
    if (taken.length > 0) conflicts.push(['ShortNamesConflict', aggregate(taken.map(inUse))]);
    else setOrDelete(names, 'shortNames', wanted.shortNames);
  }
  accept('kind', kinds, 'KindConflict');
  accept('listKind', kinds, 'ListKindConflict');
  setOrDelete(names, 'categories', wanted.categories);

  // Upstream also reports only the last conflict.
  const [reason, message] = conflicts.at(-1) ?? ['NoConflicts', 'no conflicts found'];
  const outcome = conflicts.length === 0 ? 'True' : 'False';
  return { names, condition: { type: 'NamesAccepted', status: outcome, reason, message } };
}

const inUse = (name: string): string => `${quote(name)} is already in use`;

const aggregate = (messages: readonly string[]): string => {
  const different = [...new Set(messages)];
  return different.length === 1 ? different[0]! : `[${different.join(', ')}]`;
};

function setOrDelete(
  names: CustomResourceDefinitionNames,
  field: 'shortNames' | 'categories',
  value: string[] | undefined,
): void {
  if (value) names[field] = value;
  else delete names[field];
}
