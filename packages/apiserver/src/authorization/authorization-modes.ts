import type { FeatureGates } from '@coxswain/api';
import { systemRandom } from '@coxswain/apimachinery/random';
import { datesOf, systemClock } from '@coxswain/apimachinery/clock';
import { silentLogger } from '@coxswain/apimachinery/log';
import type { Authorizer } from '@coxswain/component-base/authorization';
import { alwaysAllow, alwaysDeny } from '@coxswain/component-base/authorization';
import type { Listers } from '../registry/lister.ts';
import { NodeAuthorizer } from './node-authorizer.ts';
import { RbacAuthorizer } from './rbac-authorizer.ts';
import { ConfiguredAuthorizer, type ConfiguredAuthorizerOptions } from './webhook/configured-authorizer.ts';
import { type BuiltInType, builtInTypes, type PreparedAuthorization } from './webhook/prepare-authorization.ts';

/** What `--authorization-mode` takes. */
export const authorizationModes: readonly string[] = [...builtInTypes, 'Webhook'];
/** Those that need nothing but the mode. */
export type AuthorizationMode = BuiltInType;

export interface Authorization {
  readonly authorizer: Authorizer;
  /** There whether or not RBAC is a mode: escalation is checked in any case. */
  readonly rbac: RbacAuthorizer;
  /** What is stored at the start counts. */
  readonly synced: Promise<void>;
  close(): void;
}

export interface AuthorizationOptions extends Omit<ConfiguredAuthorizerOptions, 'builtIn'> {
  readonly gates?: FeatureGates;
}

/** The authorizers of these modes, or of this configuration, in their order. */
export function newAuthorization(
  wanted: readonly AuthorizationMode[] | PreparedAuthorization,
  listers: Listers,
  options: Partial<AuthorizationOptions> = {},
): Authorization {
  const prepared = 'authorizers' in wanted ? wanted : ofModes(wanted);
  const { gates, clock = systemClock, random = systemRandom.number, logger = silentLogger } = options;
  const { now = datesOf(clock) } = options;
  const rbac = new RbacAuthorizer(listers);
  const has = (mode: AuthorizationMode): boolean => prepared.authorizers.some(({ type }) => type === mode);
  const node = has('Node') ? new NodeAuthorizer(listers, gates) : undefined;
  const byMode: Record<AuthorizationMode, Authorizer | undefined> = {
    AlwaysAllow: alwaysAllow,
    AlwaysDeny: alwaysDeny,
    Node: node,
    RBAC: has('RBAC') ? rbac : undefined,
  };
  const synced = Promise.all([rbac.synced, node?.synced]).then(() => undefined);
  // Whoever needs it waits for it; a server that is stopped before does not.
  synced.catch(() => {});
  const authorizer = new ConfiguredAuthorizer(prepared, {
    ...options,
    builtIn: (type) => byMode[type],
    now,
    clock,
    random,
    logger,
  });
  return {
    authorizer,
    rbac,
    synced,
    close() {
      authorizer.close();
      rbac.close();
      node?.close();
    },
  };
}

const ofModes = (modes: readonly AuthorizationMode[]): PreparedAuthorization => ({
  authorizers: modes.map((type) => ({ type, name: type.toLowerCase() })),
  options: { userAgent: '', now: datesOf() },
});
