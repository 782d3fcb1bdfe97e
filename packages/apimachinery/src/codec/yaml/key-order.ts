const isDigit = (character: string | undefined): boolean => character !== undefined && /\p{Nd}/u.test(character);
const isLetter = (character: string): boolean => /\p{L}/u.test(character);

/**
 * Compares keys in the order of Go's YAML library: letters come after all other characters, and numbers inside the text are compared by
 * value, so that `a2` comes before `a10`.
 */
export function compareKeys(a: string, b: string): number {
  const left = [...a];
  const right = [...b];
  const length = Math.min(left.length, right.length);
  for (let i = 0; i < length; i++) {
    const x = left[i]!;
    const y = right[i]!;
    if (x === y) continue;
    const xLetter = isLetter(x);
    const yLetter = isLetter(y);
    if (xLetter && yLetter) return x.codePointAt(0)! - y.codePointAt(0)!;
    if (xLetter || yLetter) return yLetter ? -1 : 1;
    const lead = (x === '0' || y === '0') && hasNonZeroDigitsBefore(left, i) ? '1' : '';
    const [xNumber, xEnd] = numberAt(left, i, lead);
    const [yNumber, yEnd] = numberAt(right, i, lead);
    if (xNumber !== yNumber) return xNumber < yNumber ? -1 : 1;
    if (xEnd !== yEnd) return xEnd - yEnd;
    return x.codePointAt(0)! - y.codePointAt(0)!;
  }
  return left.length - right.length;
}

function hasNonZeroDigitsBefore(characters: readonly string[], index: number): boolean {
  for (let i = index - 1; i >= 0 && isDigit(characters[i]); i--) if (characters[i] !== '0') return true;
  return false;
}

function numberAt(characters: readonly string[], start: number, lead: string): [value: bigint, end: number] {
  let digits = lead;
  let end = start;
  for (; isDigit(characters[end]); end++) digits += characters[end];
  return [/^[0-9]+$/.test(digits) ? BigInt.asIntN(64, BigInt(digits)) : 0n, end];
}
