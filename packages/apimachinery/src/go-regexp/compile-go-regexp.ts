import { GoRegexp } from './go-regexp.ts';

const maxCompiled = 256;
/** Large ones are rare, and not worth their memory. */
const maxSize = 5000;

/** The most recently used last. */
const compiled = new Map<string, GoRegexp>();

/** The compiled expression, from a small cache of those last used. Throws GoRegexpError, with Go's message. */
export function compileGoRegexp(pattern: string): GoRegexp {
  const known = compiled.get(pattern);
  const regexp = known ?? new GoRegexp(pattern);
  if (known) compiled.delete(pattern);
  else if (regexp.size > maxSize || pattern.length > maxSize) return regexp;
  else if (compiled.size >= maxCompiled) compiled.delete(compiled.keys().next().value!);
  compiled.set(pattern, regexp);
  return regexp;
}
