import type { FeatureGates } from '@coxswain/api';
import type { Listers } from '../registry/lister.ts';
import type { Authorizer } from './authorizer.ts';
import { NodeAuthorizer } from './node-authorizer.ts';
import { RbacAuthorizer } from './rbac-authorizer.ts';
import { alwaysAllow, alwaysDeny, privilegedGroupAuthorizer } from './static-authorizers.ts';
import { UnionAuthorizer } from './union-authorizer.ts';

/** What `--authorization-mode` takes. */
export const authorizationModes = ['AlwaysAllow', 'AlwaysDeny', 'Node', 'RBAC'] as const;
export type AuthorizationMode = (typeof authorizationModes)[number];

export interface Authorization {
  readonly authorizer: Authorizer;
  /** There whether or not RBAC is a mode: escalation is checked in any case. */
  readonly rbac: RbacAuthorizer;
  /** What is stored at the start counts. */
  readonly synced: Promise<void>;
  close(): void;
}

/** The authorizers of these modes in their order, after the one that lets `system:masters` do anything. */
export function newAuthorization(
  modes: readonly AuthorizationMode[],
  listers: Listers,
  gates?: FeatureGates,
): Authorization {
  const rbac = new RbacAuthorizer(listers);
  const node = modes.includes('Node') ? new NodeAuthorizer(listers, gates) : undefined;
  const byMode: Record<AuthorizationMode, Authorizer | undefined> = {
    AlwaysAllow: alwaysAllow,
    AlwaysDeny: alwaysDeny,
    Node: node,
    RBAC: rbac,
  };
  const synced = Promise.all([rbac.synced, node?.synced]).then(() => undefined);
  // Whoever needs it waits for it; a server that is stopped before does not.
  synced.catch(() => {});
  return {
    authorizer: new UnionAuthorizer([privilegedGroupAuthorizer, ...modes.flatMap((mode) => byMode[mode] ?? [])]),
    rbac,
    synced,
    close() {
      rbac.close();
      node?.close();
    },
  };
}
