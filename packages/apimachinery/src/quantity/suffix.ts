import { parseInt64 } from '../strconv/parse-int.ts';

/** How a quantity is written: `12e6`, `12Mi` or `12M`. */
export type QuantityFormat = 'DecimalExponent' | 'BinarySI' | 'DecimalSI';

export interface Suffix {
  readonly format: QuantityFormat;
  /** A power of two for BinarySI, of ten for the others. */
  readonly exponent: number;
}

const suffixes: Record<'DecimalSI' | 'BinarySI', readonly (readonly [suffix: string, exponent: number])[]> = {
  DecimalSI: [
    ['n', -9],
    ['u', -6],
    ['m', -3],
    ['', 0],
    ['k', 3],
    ['M', 6],
    ['G', 9],
    ['T', 12],
    ['P', 15],
    ['E', 18],
  ],
  BinarySI: [
    ['Ki', 10],
    ['Mi', 20],
    ['Gi', 30],
    ['Ti', 40],
    ['Pi', 50],
    ['Ei', 60],
  ],
};

const byText = new Map<string, Suffix>([
  ...suffixes.DecimalSI.map(([text, exponent]) => [text, { format: 'DecimalSI', exponent }] as const),
  ...suffixes.BinarySI.map(([text, exponent]) => [text, { format: 'BinarySI', exponent }] as const),
]);

const byExponent = {
  DecimalSI: new Map(suffixes.DecimalSI.map(([text, exponent]) => [exponent, text])),
  BinarySI: new Map(suffixes.BinarySI.map(([text, exponent]) => [exponent, text])),
};

/** Returns the meaning of a suffix; undefined when there is no such suffix. */
export function interpretSuffix(text: string): Suffix | undefined {
  const known = byText.get(text);
  if (known) return known;
  const digits = /^[eE]([-+]?[0-9]+)$/.exec(text)?.[1];
  const exponent = digits === undefined ? undefined : parseInt64(digits);
  // As upstream, which keeps the low 32 bits.
  return exponent === undefined
    ? undefined
    : { format: 'DecimalExponent', exponent: Number(BigInt.asIntN(32, exponent)) };
}

/** Returns the suffix for a power. As upstream, it is empty beyond E and below n. */
export function constructSuffix(format: QuantityFormat, exponent: number): string {
  if (format !== 'DecimalExponent') return byExponent[format].get(exponent) ?? '';
  return exponent === 0 ? '' : `e${exponent}`;
}
