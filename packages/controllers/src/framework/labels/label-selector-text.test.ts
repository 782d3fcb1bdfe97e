import type { LabelSelector } from '@coxswain/apimachinery/meta';
import { describe, expect, it } from 'vitest';
import { labelSelectorText } from './label-selector-text.ts';

describe('labelSelectorText', () => {
  it.each([
    [undefined, 'nil'],
    [{}, '&LabelSelector{MatchLabels:map[string]string{},MatchExpressions:[]LabelSelectorRequirement{},}'],
    [
      {
        matchLabels: { b: '2', a: '1' },
        matchExpressions: [
          { key: 'k', operator: 'In', values: ['x', 'y'] },
          { key: 'z', operator: 'Exists' },
        ],
      },
      '&LabelSelector{MatchLabels:map[string]string{a: 1,b: 2,},MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:k,Operator:In,Values:[x y],},LabelSelectorRequirement{Key:z,Operator:Exists,Values:[],},},}',
    ],
  ] as [LabelSelector | undefined, string][])('%j', (selector, text) => {
    expect(labelSelectorText(selector)).toBe(text);
  });
});
