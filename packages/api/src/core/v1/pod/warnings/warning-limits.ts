/**
 * Limits for warnings. Conflicting parts of a pod are found by comparing each part with all earlier ones, so there can
 * be as many warnings as pairs. A pod of a few megabytes must not block the server or exhaust its memory that way.
 *
 * Differs from upstream, which has no such limits.
 */

/** More than a client receives: a server sends about four thousand characters of warnings. */
const maxWarnings = 1000;

/** The number of earlier parts that a new part is compared with. */
const maxCompared = 256;

/** Returns the parts to compare a new part with; none when the limit of warnings is reached. */
export const comparable = <T>(earlier: readonly T[], warnings: readonly string[]): readonly T[] =>
  warnings.length < maxWarnings ? earlier : [];

/** Adds a part to those that later parts are compared with, up to the limit. */
export function remember<T>(earlier: T[], part: T): void {
  if (earlier.length < maxCompared) earlier.push(part);
}
