import type { UserInfo } from '@coxswain/api';

const prefix = 'system:node:';

/** The node name of a user `system:node:NAME` in the group `system:nodes`; undefined for all other users. */
export function nodeIdentity({ username, groups }: UserInfo): string | undefined {
  if (!username.startsWith(prefix) || !groups?.includes('system:nodes')) return undefined;
  return username.slice(prefix.length);
}
