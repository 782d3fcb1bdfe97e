import type { CustomResourceDefinition, CustomResourceDefinitionNames } from '@coxswain/api/apiextensions/v1';
import { describe, expect, it } from 'vitest';
import { acceptNames } from './accepted-names.ts';

const names = (others: Partial<CustomResourceDefinitionNames> = {}): CustomResourceDefinitionNames => ({
  plural: 'ats',
  singular: 'at',
  kind: 'At',
  listKind: 'AtList',
  ...others,
});
const definition = (
  wanted: CustomResourceDefinitionNames,
  accepted?: CustomResourceDefinitionNames,
): CustomResourceDefinition => ({
  metadata: { name: 'ats.example.dev' },
  spec: { group: 'example.dev', scope: 'Namespaced', names: wanted, versions: [] },
  ...(accepted && { status: { acceptedNames: accepted } }),
});
const other = names({ plural: 'others', singular: 'other', kind: 'Other', listKind: 'OtherList', shortNames: ['o'] });

describe('names are accepted', () => {
  it.each<[string, CustomResourceDefinition, CustomResourceDefinitionNames[]]>([
    ['that no other definition has', definition(names({ shortNames: ['a'], categories: ['all'] })), [other]],
    ['that are its own already', definition(names(), names()), [other]],
    ['that replace its own', definition(names({ shortNames: ['a'] }), names({ shortNames: ['b'] })), []],
  ])('%s', (_, wanted, others) => {
    expect(acceptNames(wanted, others)).toEqual({
      names: wanted.spec.names,
      condition: { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' },
    });
  });
});

describe('names are not accepted', () => {
  // Reasons and messages of v1.36.4.
  it.each<[string, Partial<CustomResourceDefinitionNames>, reason: string, message: string]>([
    ['a plural', { plural: 'others' }, 'PluralConflict', '"others" is already in use'],
    ['a singular that is a short name', { singular: 'o' }, 'SingularConflict', '"o" is already in use'],
    ['a short name', { shortNames: ['a', 'o'] }, 'ShortNamesConflict', '"o" is already in use'],
    [
      'several short names',
      { shortNames: ['o', 'other'] },
      'ShortNamesConflict',
      '["o" is already in use, "other" is already in use]',
    ],
    ['a kind', { kind: 'Other' }, 'KindConflict', '"Other" is already in use'],
    [
      'several names, with the last reported',
      { plural: 'others', listKind: 'OtherList' },
      'ListKindConflict',
      '"OtherList" is already in use',
    ],
  ])('%s', (_, wanted, reason, message) => {
    const { condition, names: accepted } = acceptNames(definition(names(wanted)), [other]);
    expect(condition).toEqual({ type: 'NamesAccepted', status: 'False', reason, message });
    for (const field of Object.keys(wanted)) expect(accepted).not.toMatchObject({ [field]: Object(wanted)[field] });
  });
});
