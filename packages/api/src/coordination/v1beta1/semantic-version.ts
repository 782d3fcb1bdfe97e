interface SemanticVersion {
  readonly numbers: readonly bigint[];
  readonly prerelease: readonly string[];
}

const number = '(0|[1-9][0-9]*)';
const identifiers = '[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*';
const pattern = new RegExp(`^${number}\\.${number}\\.${number}(?:-(${identifiers}))?(?:\\+${identifiers})?$`);
const numeric = /^[0-9]+$/;
const maxUint64 = 2n ** 64n - 1n;

/** Parses a version by the rules of Semantic Versioning 2.0.0; undefined when it is invalid. */
export function parseSemanticVersion(text: string): SemanticVersion | undefined {
  const match = pattern.exec(text);
  if (!match) return undefined;
  const numbers = match.slice(1, 4).map(BigInt);
  const prerelease = match[4]?.split('.') ?? [];
  const isBad = (identifier: string) =>
    numeric.test(identifier) &&
    ((identifier.length > 1 && identifier.startsWith('0')) || BigInt(identifier) > maxUint64);
  return numbers.some((part) => part > maxUint64) || prerelease.some(isBad) ? undefined : { numbers, prerelease };
}

/** Returns a negative number when `a` precedes `b`. A prerelease precedes its release; build metadata is ignored. */
export function compareSemanticVersions(a: SemanticVersion, b: SemanticVersion): number {
  for (let i = 0; i < 3; i++) if (a.numbers[i] !== b.numbers[i]) return a.numbers[i]! < b.numbers[i]! ? -1 : 1;
  if (a.prerelease.length === 0 || b.prerelease.length === 0) return b.prerelease.length - a.prerelease.length;
  for (let i = 0; i < Math.min(a.prerelease.length, b.prerelease.length); i++) {
    const order = compareIdentifiers(a.prerelease[i]!, b.prerelease[i]!);
    if (order !== 0) return order;
  }
  return a.prerelease.length - b.prerelease.length;
}

/** Compares identifiers: numbers by value, and before words. */
function compareIdentifiers(a: string, b: string): number {
  if (a === b) return 0;
  const [isNumber, isOtherNumber] = [numeric.test(a), numeric.test(b)];
  if (isNumber && isOtherNumber) return BigInt(a) < BigInt(b) ? -1 : 1;
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  return a < b ? -1 : 1;
}
