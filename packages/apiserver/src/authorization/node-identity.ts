import type { UserInfo } from '@coxswain/api';

const prefix = 'system:node:';

/** The name of the node that a user is: `system:node:NAME` in the group `system:nodes`. Undefined for all others. */
export function nodeIdentity({ username, groups }: UserInfo): string | undefined {
  if (!username.startsWith(prefix) || !groups?.includes('system:nodes')) return undefined;
  return username.slice(prefix.length);
}
