import { describe, expect, it } from 'vitest';
import { FeatureGates } from '../features/feature-gates.ts';
import { type StructRules, validateDeclaratively } from './declarative.ts';

const rules: StructRules = {
  fields: {
    spec: {
      struct: {
        fields: {
          name: { presence: 'required', format: (name) => (name === 'bad' ? ['is bad'] : []) },
          size: { presence: 'optional', pointer: true, minimum: 1, feature: 'GangScheduling' },
          fixed: { presence: 'optional', immutable: true },
          items: {
            presence: 'optional',
            maxItems: 2,
            key: 'name',
            struct: { fields: { value: { presence: 'required' } } },
          },
        },
      },
    },
  },
};

const problems = (spec: object, old?: object, on = true): string[] =>
  validateDeclaratively({ spec }, old && { spec: old }, rules, new FeatureGates({ GangScheduling: on })).map(String);

describe('declarative rules', () => {
  const cases: Readonly<Record<string, readonly [spec: object, old: object | undefined, expected: readonly string[]]>> =
    {
      'a required field is missing': [{}, undefined, ['spec.name: Required value']],
      'a pointer to zero is a value': [
        { name: 'a', size: 0 },
        undefined,
        ['spec.size: Invalid value: 0: must be greater than or equal to 1'],
      ],
      'an unchanged field is not validated': [{ name: 'bad', size: 5 }, { name: 'bad', size: 1 }, []],
      'an immutable field': [
        { name: 'a', fixed: 'x' },
        { name: 'a' },
        ['spec.fixed: Invalid value: null: field is immutable'],
      ],
      'an immutable field may be set on creation': [{ name: 'a', fixed: 'x' }, undefined, []],
      'a repeated key is a duplicate': [
        {
          name: 'a',
          items: [
            { name: 'x', value: 'v' },
            { name: 'x', value: 'v' },
          ],
        },
        undefined,
        ['spec.items[1]: Duplicate value: {"name":"x","value":"v"}'],
      ],
      'items are compared by their key': [
        {
          name: 'a',
          items: [
            { name: 'y', value: '' },
            { name: 'x', value: '' },
          ],
        },
        { name: 'a', items: [{ name: 'x', value: '' }] },
        ['spec.items[0].value: Required value'],
      ],
      'the items of a list that is too long are not validated': [
        { name: 'a', items: [{}, {}, {}] },
        undefined,
        ['spec.items: Too many: 3: must have at most 2 items'],
      ],
    };

  it.each(Object.entries(cases))('%s', (_, [spec, old, expected]) => {
    expect(problems(spec, old)).toEqual(expected);
  });

  it('forbid a field while its feature is off', () => {
    expect(problems({ name: 'a', size: 5 }, undefined, false)).toEqual(['spec.size: Forbidden']);
    expect(problems({ name: 'a' }, undefined, false)).toEqual([]);
  });
});
