/** Generating code for a message takes about as long as reading it so many times without. */
const worthGenerating = 100;

/** Pages can forbid it in their content security policy, and some runtimes know no such thing. */
function isAllowed(): boolean {
  try {
    return new Function('return true')() === true;
  } catch {
    return false;
  }
}

/** How often a message type has to be met until code is generated for it: never where that is forbidden. */
export const generateAfter: number = isAllowed() ? worthGenerating : Number.POSITIVE_INFINITY;

/**
 * Makes a function from source text, in which the names of `scope` stand for its values. Whatever text from outside is
 * in the source must be there as a literal (`JSON.stringify`).
 */
export function generate(scope: ReadonlyMap<string, unknown>, source: string): unknown {
  return new Function(...scope.keys(), `'use strict';\nreturn ${source};`)(...scope.values());
}
