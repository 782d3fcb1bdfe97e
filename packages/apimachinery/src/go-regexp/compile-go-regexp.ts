import { LruCache } from '../cache/lru-cache.ts';
import { GoRegexp } from './go-regexp.ts';

const maxCompiled = 256;
/** Larger programs are rare and are not cached. */
const maxSize = 5000;

const compiled = new LruCache<string, GoRegexp>(maxCompiled);

/** Returns the compiled expression, from a small LRU cache. Throws GoRegexpError, with Go's message. */
export function compileGoRegexp(pattern: string): GoRegexp {
  const known = compiled.get(pattern);
  if (known) return known;
  const regexp = new GoRegexp(pattern);
  if (regexp.size <= maxSize && pattern.length <= maxSize) compiled.set(pattern, regexp);
  return regexp;
}
