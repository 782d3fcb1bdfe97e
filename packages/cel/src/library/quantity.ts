import { Quantity as ResourceQuantity } from '@coxswain/apimachinery';
import type { FunctionDeclaration, Library } from '../checking/function-declaration.ts';
import { BOOL, type CelType, DOUBLE, INT, objectType, STRING } from '../values/types.ts';
import { CelError, type CelValue, OpaqueValue } from '../values/values.ts';
import { estimateNominalEquality, nominalCost, traversalCost } from './call-cost.ts';
import { globalFunction, method } from './declare.ts';
import { accepts, asCelError } from './parse-error.ts';

export const QUANTITY: CelType<QuantityValue> = objectType('kubernetes.Quantity');

export class QuantityValue extends OpaqueValue {
  readonly celType = QUANTITY;
  readonly quantity: ResourceQuantity;
  /** The result of `add` or `sub`. */
  readonly #isComputed: boolean;

  constructor(quantity: ResourceQuantity, isComputed = false) {
    super();
    this.quantity = quantity;
    this.#isComputed = isComputed;
  }

  /**
   * Compares two quantities. Throws CelError for a computed quantity on the right: a bug of upstream that policies may
   * rely on.
   */
  equals(other: CelValue): boolean {
    if (!(other instanceof QuantityValue) || other.#isComputed) throw new CelError('no such overload');
    return this.quantity.equals(other.quantity);
  }
}

const parse = (text: string): QuantityValue =>
  asCelError(
    () => new QuantityValue(ResourceQuantity.parse(text)),
    (message) => message,
  );

const order = (a: QuantityValue, b: QuantityValue): number => Math.sign(a.quantity.cmp(b.quantity));

const comparison = (
  name: string,
  id: string,
  result: CelType,
  call: (a: QuantityValue, b: QuantityValue) => CelValue,
): FunctionDeclaration => method(name, { id, parameters: [QUANTITY, QUANTITY], result, cost: nominalCost, call });

/** Declares `add` or `sub`, with a quantity or an integer. */
function arithmetic(name: 'add' | 'sub'): FunctionDeclaration[] {
  const compute = (a: QuantityValue, b: ResourceQuantity): QuantityValue =>
    asCelError(
      () => new QuantityValue(a.quantity[name](b), true),
      (message) => message,
    );
  const common = { result: QUANTITY, cost: nominalCost };
  return [
    method(name, {
      ...common,
      id: `quantity_${name}`,
      parameters: [QUANTITY, QUANTITY],
      call: (a, b) => compute(a, b.quantity),
    }),
    method(name, {
      ...common,
      id: `quantity_${name}_int`,
      parameters: [QUANTITY, INT],
      call: (a, b) => compute(a, ResourceQuantity.of(b, 'DecimalExponent')),
    }),
  ];
}

function asInteger({ quantity }: QuantityValue): bigint {
  const value = quantity.asInt64();
  if (value === undefined) throw new CelError('cannot convert value to integer');
  return value;
}

/** `quantity()`, `isQuantity()` and the functions of a quantity. */
export const quantityLibrary: Library = {
  name: 'kubernetes.quantity',
  estimateEquality: estimateNominalEquality(QUANTITY),
  functions: [
    globalFunction('quantity', {
      id: 'string_to_quantity',
      parameters: [STRING],
      result: QUANTITY,
      cost: traversalCost(),
      call: parse,
    }),
    globalFunction('isQuantity', {
      id: 'is_quantity_string',
      parameters: [STRING],
      result: BOOL,
      cost: traversalCost(),
      call: (text) => accepts(() => parse(text)),
    }),
    globalFunction('sign', {
      id: 'quantity_sign',
      parameters: [QUANTITY],
      result: INT,
      cost: nominalCost,
      call: ({ quantity }) => BigInt(quantity.sign()),
    }),
    comparison('isGreaterThan', 'quantity_is_greater_than', BOOL, (a, b) => order(a, b) > 0),
    comparison('isLessThan', 'quantity_is_less_than', BOOL, (a, b) => order(a, b) < 0),
    comparison('compareTo', 'quantity_compare_to', INT, (a, b) => BigInt(order(a, b))),
    method('asApproximateFloat', {
      id: 'quantity_get_float',
      parameters: [QUANTITY],
      result: DOUBLE,
      cost: nominalCost,
      call: ({ quantity }) => quantity.asApproximateFloat(),
    }),
    method('asInteger', {
      id: 'quantity_get_int',
      parameters: [QUANTITY],
      result: INT,
      cost: nominalCost,
      call: asInteger,
    }),
    method('isInteger', {
      id: 'quantity_is_integer',
      parameters: [QUANTITY],
      result: BOOL,
      cost: nominalCost,
      call: ({ quantity }) => quantity.asInt64() !== undefined,
    }),
    ...arithmetic('add'),
    ...arithmetic('sub'),
  ],
};
