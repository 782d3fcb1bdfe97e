import { canonicalQuantity, Quantity } from '@coxswain/apimachinery';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareAmounts, isNegativeAmount, isWholeAmount } from './amount.ts';

const suffixes = ['', 'n', 'u', 'm', 'k', 'M', 'G', 'T', 'E', 'Ki', 'Mi', 'Gi', 'Ti', 'e3', 'e-3'];
const amounts = fc
  .tuple(
    fc.oneof(fc.integer({ min: -3000, max: 3000 }), fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n })),
    fc.constantFrom(...suffixes),
  )
  .map(([number, suffix]) => canonicalQuantity(`${number}${suffix}`));

it('orders amounts as exact arithmetic does', () => {
  fc.assert(
    fc.property(amounts, amounts, (a, b) => {
      expect(Math.sign(compareAmounts(a, b))).toBe(Math.sign(Quantity.parse(a).cmp(Quantity.parse(b))));
      expect(isNegativeAmount(a)).toBe(Quantity.parse(a).sign() < 0);
    }),
    { numRuns: 2000 },
  );
});

it.each<[amount: string, whole: boolean]>([
  ['0', true],
  ['1Ki', true],
  ['1500m', false],
  ['1e3', true],
  ['999n', false],
  ['1u', false],
  ['1000000000000000001m', false],
  ['1Ti', true],
  ['1Pi', true],
  // Beyond an int64: expected values are from kube-apiserver v1.36.4.
  ['9E', true],
  ['1e30', true],
  ['9223372036854775807', true],
  ['12345678901234567890', false],
  ['100Pi', false],
  ['1Ei', false],
])('determines whether %s is whole', (amount, whole) => {
  expect(isWholeAmount(amount)).toBe(whole);
});
