export { canonicalQuantity } from './canonical.ts';
export { Quantity, Scale } from './quantity.ts';
export type { QuantityFormat } from './suffix.ts';
