import { newResourceExpired } from '@coxswain/apimachinery/errors';
import type { ListMeta, ListOptions } from '@coxswain/apimachinery/meta';

const prefix = 'after-';

/**
 * Returns a page of a list: up to `limit` items after the position of `continue`. Unlike a server's, the pages are not
 * from one snapshot: the token is an offset.
 */
export function pageOf<T>(
  all: readonly T[],
  { limit = 0, continue: token = '' }: ListOptions,
): { items: T[]; metadata: Pick<ListMeta, 'continue' | 'remainingItemCount'> } {
  const start = startOf(token);
  const end = limit > 0 ? start + limit : all.length;
  const remaining = all.length - end;
  return {
    items: all.slice(start, end),
    metadata: remaining > 0 ? { continue: `${prefix}${end}`, remainingItemCount: remaining } : {},
  };
}

function startOf(token: string): number {
  if (token === '') return 0;
  const start = token.startsWith(prefix) ? Number(token.slice(prefix.length)) : Number.NaN;
  if (Number.isSafeInteger(start)) return start;
  throw newResourceExpired('The provided continue parameter is not valid');
}
