/**
 * The maximum nesting of values. Most functions on values are recursive, so this keeps the stack from overflowing.
 *
 * Differs from upstream, whose limit is 10,000: a JavaScript stack is too small for that.
 */
export const MAX_JSON_DEPTH = 1000;

/** Thrown for a value that is nested too deeply, or contains itself. */
export class JsonDepthError extends Error {
  override readonly name = 'JsonDepthError';

  constructor() {
    super('exceeded max depth');
  }
}

/**
 * Throws JsonDepthError when the value is nested deeper than `max` lists and objects. Safe for any depth and for
 * cycles, since it does not recurse.
 */
export function assertJsonDepth(value: unknown, max = MAX_JSON_DEPTH): void {
  if (typeof value !== 'object' || value === null) return;
  const pending: object[] = [value];
  const depths: number[] = [1];
  for (let current = pending.pop(); current; current = pending.pop()) {
    const depth = depths.pop() ?? 1;
    if (depth > max) throw new JsonDepthError();
    for (const child of Array.isArray(current) ? current : Object.values(current)) {
      if (typeof child === 'object' && child !== null) {
        pending.push(child);
        depths.push(depth + 1);
      }
    }
  }
}
