/** Code is generated for a message type after this many reads: generating it takes about as long as these reads without it. */
const worthGenerating = 100;

/** Whether code can be generated: a page's content security policy can forbid it, and some runtimes do not support it. */
function isAllowed(): boolean {
  try {
    return new Function('return true')() === true;
  } catch {
    return false;
  }
}

/** The number of reads of a message type after which code is generated for it. Infinite where code cannot be generated. */
export const generateAfter: number = isAllowed() ? worthGenerating : Number.POSITIVE_INFINITY;

/**
 * Compiles source text to a function. The names of `scope` refer to its values. Text from outside must be embedded in the source as a
 * literal (`JSON.stringify`).
 */
export function generate(scope: ReadonlyMap<string, unknown>, source: string): unknown {
  return new Function(...scope.keys(), `'use strict';\nreturn ${source};`)(...scope.values());
}
