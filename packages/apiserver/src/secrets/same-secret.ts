import { hash, timingSafeEqual } from 'node:crypto';

/** Compares two secrets in constant time: the time depends only on their lengths. */
export const sameSecret = (a: string, b: string): boolean =>
  timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'));
