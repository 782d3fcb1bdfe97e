import { pow10 } from '../quantity/decimal.ts';
import { type Amount, parseAmount } from '../quantity/parse.ts';
import type { ScalarKind } from './schema.ts';

/** Seconds from the first of January of the year 1, where Go's times begin, to 1970. */
const unixToInternal = 62_135_596_800;
/** Upstream's components print their local time zone; this is that of a machine without one. */
const location =
  '{name:(string)UTC zone:([]time.zone)<nil> tx:([]time.zoneTrans)<nil> extend:(string) cacheStart:(int64)0 cacheEnd:(int64)0 cacheZone:(*time.zone)<nil>}';

const dumps: Partial<Record<ScalarKind, (value: unknown) => string>> = {
  string: (value) => String(value ?? ''),
  bool: (value) => String(value ?? false),
  int32: (value) => String(value ?? 0),
  int64: (value) => String(value ?? 0),
  intOrString: (value) =>
    typeof value === 'string'
      ? `{Type:(intstr.Type)1 IntVal:(int32)0 StrVal:(string)${value}}`
      : `{Type:(intstr.Type)0 IntVal:(int32)${value ?? 0} StrVal:(string)}`,
  quantity: (value) => amountDump(parseAmount(String(value ?? 0))),
  time: (value) => {
    const seconds = typeof value === 'string' ? Date.parse(value) / 1000 + unixToInternal : 0;
    const zone = seconds === 0 ? '<nil>' : location;
    return `{Time:(time.Time){wall:(uint64)0 ext:(int64)${seconds} loc:(*time.Location)${zone}}}`;
  },
  fieldsV1: (value) => {
    const bytes = new TextEncoder().encode(value === undefined ? '' : JSON.stringify(value));
    return `{Raw:([]uint8)${bytes.length > 0 ? `[${bytes.join(' ')}]` : '<nil>'}}`;
  },
};

/**
 * Returns the function that prints a value of the kind, without its type, as `compileGoDump` describes. Throws for kinds that are not
 * printed.
 */
export function scalarDump(kind: ScalarKind): (value: unknown) => string {
  const dump = dumps[kind];
  if (!dump) throw new Error(`values of the kind ${kind} cannot be printed`);
  return dump;
}

/**
 * Prints the private fields of a Quantity: a scaled int64 or a big decimal, and its text if upstream recognised it as canonical while
 * parsing.
 */
function amountDump({ unscaled, scale, format, wide, text = '' }: Amount): string {
  const small = wide ? { unscaled: 0n, scale: 0 } : { unscaled, scale };
  const large = wide ? bigDecimalDump(unscaled, scale) : '<nil>';
  return (
    `{i:(resource.int64Amount){value:(int64)${small.unscaled} scale:(resource.Scale)${small.scale}}` +
    ` d:(resource.infDecAmount){Dec:(*inf.Dec)${large}} s:(string)${text} Format:(resource.Format)${format}}`
  );
}

/** Go keeps big decimals in billionths, in words of 64 bits, the lowest first. Throws a RangeError for an extreme exponent. */
function bigDecimalDump(unscaled: bigint, scale: number): string {
  const words: bigint[] = [];
  const billionths = (unscaled < 0n ? -unscaled : unscaled) * pow10(scale + 9);
  for (let rest = billionths; rest > 0n; rest >>= 64n) words.push(BigInt.asUintN(64, rest));
  const neg = unscaled < 0n;
  return `{unscaled:(big.Int){neg:(bool)${neg} abs:(big.nat)[${words.join(' ')}]} scale:(inf.Scale)9}`;
}
