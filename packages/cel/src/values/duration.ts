import { CelError, Duration } from './values.ts';

const NANOS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const PART = /(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/y;

/** Parses `1h30m0.5s`; undefined if it is not a duration or does not fit into 64 bits of nanoseconds. */
export function parseDuration(text: string): Duration | undefined {
  const negative = text.startsWith('-');
  const body = text.startsWith('-') || text.startsWith('+') ? text.slice(1) : text;
  if (body === '0') return new Duration(0n);
  if (body === '' || body.length > 256) return undefined;
  let total = 0n;
  PART.lastIndex = 0;
  while (PART.lastIndex < body.length) {
    const match = PART.exec(body);
    if (match === null) return undefined;
    const [, whole = '', fraction = '', unit = ''] = match;
    if (whole === '' && fraction === '') return undefined;
    const scale = NANOS[unit] ?? 0n;
    total += BigInt(whole === '' ? 0 : whole) * scale;
    if (fraction !== '') total += (BigInt(fraction) * scale) / 10n ** BigInt(fraction.length);
  }
  const nanos = negative ? -total : total;
  return BigInt.asIntN(64, nanos) === nanos ? new Duration(nanos) : undefined;
}

/** Returns seconds as a double, computed like cel-go. */
function durationSeconds({ nanos }: Duration): number {
  return Number(nanos / 1_000_000_000n) + Number(nanos % 1_000_000_000n) / 1e9;
}

/** Formats a duration like `string(duration)`: `90s`, `0.5s`. */
export function formatDuration(duration: Duration): string {
  return `${formatDecimal(durationSeconds(duration))}s`;
}

/** Formats a double in decimal notation without an exponent. */
function formatDecimal(value: number): string {
  const text = String(value);
  const match = /^(-?)(\d)(?:\.(\d+))?e-(\d+)$/.exec(text);
  if (match === null) return text;
  const [, sign = '', first = '', rest = '', exponent = ''] = match;
  return `${sign}0.${'0'.repeat(Number(exponent) - 1)}${first}${rest}`;
}

/** Returns the duration. Throws CelError if the nanoseconds overflow an int64. */
export function durationOf(nanos: bigint): Duration {
  if (BigInt.asIntN(64, nanos) !== nanos) throw new CelError('integer overflow');
  return new Duration(nanos);
}
