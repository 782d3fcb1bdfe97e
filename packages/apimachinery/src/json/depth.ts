/**
 * The deepest nesting that the engines walk. They recurse, so this keeps them clear of the end of the stack.
 *
 * Differs from upstream: it stops at 10,000, which a JavaScript stack does not hold.
 */
export const MAX_JSON_DEPTH = 1000;

/** A value is nested deeper than allowed, or contains itself. */
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
