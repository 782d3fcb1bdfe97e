import { describe, expect, it } from 'vitest';
import type { LabelSelector } from '../meta/label-selector.ts';
import {
  formatLabelSelector,
  labelSelectorAsMap,
  labelSelectorAsSelector,
  parseToLabelSelector,
  setAsLabelSelector,
} from './label-selector.ts';
import { Selector } from './selector.ts';

/** A selector as a client might send it, with any operator. */
const expression = (key: string, operator: string, values?: string[]): LabelSelector =>
  JSON.parse(JSON.stringify({ matchExpressions: [{ key, operator, values }] }));

describe('labelSelectorAsSelector', () => {
  it('selects nothing when absent and everything when empty', () => {
    expect(labelSelectorAsSelector(undefined)).toBe(Selector.nothing);
    expect(labelSelectorAsSelector({})).toBe(Selector.everything);
    expect(labelSelectorAsSelector({ matchLabels: {}, matchExpressions: [] })).toBe(Selector.everything);
  });

  it('joins labels and expressions', () => {
    const selector: LabelSelector = {
      matchLabels: { b: '1', a: '2' },
      matchExpressions: [
        { key: 'f', operator: 'DoesNotExist' },
        { key: 'c', operator: 'In', values: ['y', 'x'] },
        { key: 'd', operator: 'NotIn', values: ['z'] },
        { key: 'e', operator: 'Exists', values: [] },
      ],
    };
    expect(labelSelectorAsSelector(selector).toString()).toBe('a=2,b=1,c in (x,y),d notin (z),e,!f');
    expect(formatLabelSelector(selector)).toBe('a=2,b=1,c in (x,y),d notin (z),e,!f');
  });

  it.each<[why: string, selector: LabelSelector, message: string]>([
    ['an unknown operator', expression('a', 'Gt', ['1']), '"Gt" is not a valid label selector operator'],
    [
      'an inherited name for an operator',
      expression('a', 'toString'),
      '"toString" is not a valid label selector operator',
    ],
    [
      'no values for In',
      expression('a', 'In', []),
      "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty",
    ],
    [
      'values for Exists',
      expression('a', 'Exists', ['x']),
      'values: Invalid value: ["x"]: values set must be empty for exists and does not exist',
    ],
  ])('refuses %s', (_, selector, message) => {
    expect(() => labelSelectorAsSelector(selector)).toThrow(new Error(message));
    expect(formatLabelSelector(selector)).toBe('<error>');
  });

  it('prints <none> for everything and for nothing', () => {
    expect([formatLabelSelector(undefined), formatLabelSelector({})]).toEqual(['<none>', '<none>']);
  });
});

describe('labelSelectorAsMap', () => {
  it('takes labels and single values', () => {
    expect(labelSelectorAsMap(undefined)).toBeUndefined();
    expect(labelSelectorAsMap({ matchLabels: { a: 'b' }, ...expression('c', 'In', ['d']) })).toEqual({
      a: 'b',
      c: 'd',
    });
  });

  it.each<[selector: LabelSelector, message: string]>([
    [
      expression('a', 'In', ['x', 'y']),
      'operator "In" without a single value cannot be converted into the old label selector format',
    ],
    [expression('a', 'NotIn', ['x']), 'operator "NotIn" cannot be converted into the old label selector format'],
    [expression('a', 'Exists'), 'operator "Exists" cannot be converted into the old label selector format'],
    [expression('a', 'Gt', ['1']), '"Gt" is not a valid selector operator'],
  ])('refuses %j', (selector, message) => {
    expect(() => labelSelectorAsMap(selector)).toThrow(new Error(message));
  });
});

describe('parseToLabelSelector', () => {
  it('parses a text to the form of an API object', () => {
    expect(parseToLabelSelector('a=b,c in (y,x),!d,e,f notin (z),g==h')).toEqual({
      matchLabels: { a: 'b', g: 'h' },
      matchExpressions: [
        { key: 'c', operator: 'In', values: ['x', 'y'] },
        { key: 'd', operator: 'DoesNotExist', values: [] },
        { key: 'e', operator: 'Exists', values: [] },
        { key: 'f', operator: 'NotIn', values: ['z'] },
      ],
    });
  });

  it.each<[text: string, message: string]>([
    ['a!=b', '"!=" is not a valid label selector operator'],
    ['a>1', '"gt" isn\'t supported in label selectors'],
    ['a,', "couldn't parse the selector string \"a,\": found '', expected: identifier after ','"],
  ])('refuses %s', (text, message) => {
    expect(() => parseToLabelSelector(text)).toThrow(new Error(message));
  });

  it('makes a selector of labels', () => {
    expect(setAsLabelSelector(undefined)).toBeUndefined();
    const labels = { a: 'b' };
    expect(setAsLabelSelector(labels)).toEqual({ matchLabels: { a: 'b' } });
    expect(setAsLabelSelector(labels)?.matchLabels).not.toBe(labels);
  });
});
