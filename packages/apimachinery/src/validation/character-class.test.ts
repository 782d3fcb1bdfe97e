import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  alphanumeric,
  consistsOf,
  dash,
  dot,
  isWord,
  lower,
  lowerAlphanumeric,
  printed,
  startsWithOneOf,
  underscore,
} from './character-class.ts';

const texts = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'Z', '0', '-', '.', '_', '/', '=', ' ', 'é', '\u2100'), maxLength: 8 }),
  fc.string({ unit: 'binary', maxLength: 4 }),
);

const words: Readonly<Record<string, readonly [expression: RegExp, ends: number, inner: number, joint?: number]>> = {
  'a DNS label': [/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, lowerAlphanumeric, dash],
  'a DNS subdomain': [
    /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
    lowerAlphanumeric,
    dash,
    dot,
  ],
  'the name of a label': [/^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/, alphanumeric, dash | underscore | dot],
};

it.each(Object.entries(words))('recognizes %s like a regular expression', (_, [expression, ends, inner, joint]) => {
  fc.assert(
    fc.property(texts, (text) => {
      expect(isWord(text, 0, text.length, ends, inner, joint)).toBe(expression.test(text));
      expect(isWord(`/${text}/`, 1, text.length + 1, ends, inner, joint)).toBe(expression.test(text));
    }),
    { numRuns: 2000 },
  );
});

it('classifies characters like a regular expression', () => {
  fc.assert(
    fc.property(texts, (text) => {
      expect(consistsOf(text, printed)).toBe(/^[ -<>-~]*$/.test(text));
      expect(consistsOf(text, alphanumeric | dash)).toBe(/^[-A-Za-z0-9]*$/.test(text));
      expect(startsWithOneOf(text, lower)).toBe(/^[a-z]/.test(text));
    }),
    { numRuns: 2000 },
  );
});
