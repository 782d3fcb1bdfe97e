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

/** The values of `--authorization-mode`. */
export const authorizationModes: readonly string[] = [...builtInTypes, 'Webhook'];
/** Modes without further options. */
export type AuthorizationMode = BuiltInType;

export interface Authorization {
  readonly authorizer: Authorizer;
  /** Also exists without the mode RBAC, as escalation is always checked. */
  readonly rbac: RbacAuthorizer;
  /** Resolves when everything stored at the start is taken into account. */
  readonly synced: Promise<void>;
  close(): void;
}

export interface AuthorizationOptions extends Omit<ConfiguredAuthorizerOptions, 'builtIn'> {
  readonly gates?: FeatureGates;
}

/** Creates the authorizers of the modes, or of the configuration, in their order. */
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
  // Callers that need it await it; it must not cause an unhandled rejection when the server is stopped before.
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
