import { describe, expect, it } from 'vitest';
import { Path } from '../field/index.ts';
import {
  labelSelectorHasInvalidLabelValue,
  validateFieldSelectorRequirement,
  validateLabelSelector,
  validateLabels,
} from './labels.ts';

const name =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const value =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

describe('validateLabels', () => {
  it('reports the path of the map', () => {
    const errors = validateLabels({ 'a b': 'c d', ok: '' }, Path.of('metadata', 'labels'));
    expect(errors.map(String)).toEqual([
      `metadata.labels: Invalid value: "a b": ${name}`,
      `metadata.labels: Invalid value: "c d": ${value}`,
    ]);
    expect(validateLabels(undefined, Path.of('labels'))).toEqual([]);
  });
});

describe('validateLabelSelector', () => {
  const path = Path.of('spec', 'selector');
  const selector = {
    matchExpressions: [
      { key: 'a', operator: 'In' },
      { key: '-', operator: 'Exists', values: ['-'] },
      { key: 'a', operator: 'Gt', values: ['1'] },
    ],
  };

  it('checks labels, operators, keys and values', () => {
    expect(validateLabelSelector(undefined, {}, path)).toEqual([]);
    expect(validateLabelSelector({ matchLabels: { a: '-' } }, {}, path).map(String)).toEqual([
      `spec.selector.matchLabels: Invalid value: "-": ${value}`,
    ]);
    expect(validateLabelSelector(selector, {}, path).map(String)).toEqual([
      "spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      "spec.selector.matchExpressions[1].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
      `spec.selector.matchExpressions[1].key: Invalid value: "-": ${name}`,
      `spec.selector.matchExpressions[1].values[0]: Invalid value: "-": ${value}`,
      'spec.selector.matchExpressions[2].operator: Invalid value: "Gt": not a valid selector operator',
    ]);
  });

  it('accepts what its options allow', () => {
    const invalidValue = { matchExpressions: [{ key: 'a', operator: 'In', values: ['-'] }] };
    expect(validateLabelSelector(invalidValue, { allowInvalidLabelValueInSelector: true }, path)).toEqual([]);
    expect(validateLabelSelector(invalidValue, {}, path)).toHaveLength(1);
    const unknownOperator = { matchExpressions: [{ key: 'a', operator: 'Gt', values: ['1'] }] };
    expect(validateLabelSelector(unknownOperator, { allowUnknownOperatorInRequirement: true }, path)).toEqual([]);
  });

  it('detects invalid values', () => {
    expect(labelSelectorHasInvalidLabelValue(selector)).toBe(true);
    expect(labelSelectorHasInvalidLabelValue({ matchLabels: { a: '-' } })).toBe(false);
    expect(labelSelectorHasInvalidLabelValue(undefined)).toBe(false);
  });
});

describe('validateFieldSelectorRequirement', () => {
  it.each<[requirement: { key: string; operator: string; values?: string[] }, errors: string[]]>([
    [{ key: 'a', operator: 'In', values: ['not a label!'] }, []],
    [
      { key: '', operator: 'NotIn' },
      [
        'f.key: Required value: must be specified',
        "f.values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      ],
    ],
    [
      { key: 'a', operator: 'DoesNotExist', values: ['x'] },
      ["f.values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'"],
    ],
    [{ key: 'a', operator: 'x' }, ['f.operator: Invalid value: "x": not a valid selector operator']],
  ])('%j', (requirement, errors) => {
    expect(validateFieldSelectorRequirement(requirement, {}, Path.of('f')).map(String)).toEqual(errors);
  });
});
