/**
 * Parts of a pod that get into each other's way are found by comparing each with all before it, and there can be as
 * many warnings as pairs. A pod of a few megabytes must not keep the server busy, or fill its memory, with those.
 *
 * Differs from upstream: it knows no such limits.
 */

/** Far more than a client sees: a server sends about four thousand characters of warnings. */
const maxWarnings = 1000;

/** Parts beyond these are not compared with. */
const maxCompared = 256;

/** Those to compare a new part with: none when there are warnings enough. */
export const comparable = <T>(earlier: readonly T[], warnings: readonly string[]): readonly T[] =>
  warnings.length < maxWarnings ? earlier : [];

/** Notes a part for those that come after it to be compared with. */
export function remember<T>(earlier: T[], part: T): void {
  if (earlier.length < maxCompared) earlier.push(part);
}
