import type { UserInfo } from '@coxswain/api';
import {
  type ApiError,
  aggregate,
  isDomainPrefixedPath,
  nameIsDnsSubdomain,
  Path,
  quote,
} from '@coxswain/apimachinery';
import { LruCache } from '@coxswain/apimachinery/cache';
import type { AuthorizationAttributes, Authorizer } from '@coxswain/component-base/authorization';
import { forbidden, privilegedGroup } from '@coxswain/component-base/authorization';
import type { RequestHeaders } from '@coxswain/component-base/http';
import { serviceAccountUser, splitServiceAccountUsername } from '../serviceaccount/user-info.ts';
import { type WantedUser, wantedUser } from './impersonation-headers.ts';
import { resourceAttributes } from './resource-attributes.ts';

/** The user that a request is served as. */
export interface Impersonated {
  readonly user: UserInfo;
  /** The verb of constrained impersonation that allowed it, for the audit log. Empty for the verb `impersonate`. */
  readonly constraint: string;
}

/** From this number of groups or extra values on, permission for all of them (`*`) is checked first. */
const many = 4;
/** Maximum number of requestors whose last successful mode is cached. */
const maxRemembered = 10_000;
const nodeNameKey = 'authentication.kubernetes.io/node-name';

/**
 * A way to be allowed to impersonate. All but `unconstrained` require the verb `impersonate:MODE` on the impersonated
 * user, and `impersonate-on:MODE:VERB` on the object of the request.
 */
interface Mode {
  readonly name: string;
  readonly applies: (wanted: WantedUser, requestor: UserInfo) => boolean;
}

const constrainedModes: readonly Mode[] = [
  { name: 'associated-node', applies: (wanted, requestor) => isOnlyNamed(wanted) && runsOn(requestor, wanted) },
  { name: 'arbitrary-node', applies: (wanted) => isOnlyNamed(wanted) && nodeName(wanted) !== undefined },
  { name: 'serviceaccount', applies: (wanted) => isOnlyNamed(wanted) && serviceAccount(wanted) !== undefined },
  {
    name: 'user-info',
    applies: (wanted) => nodeName(wanted) === undefined && serviceAccount(wanted) === undefined,
  },
];
const unconstrained: Mode = { name: '', applies: () => true };

/**
 * Checks whether requests may impersonate a user. It tries the constrained modes and then unconstrained impersonation,
 * but the last successful mode of the requestor first. When all fail, it reports the first error.
 *
 * Differs from upstream: successes are not cached for ten seconds, because a decision takes only microseconds here. And
 * with the constrained modes off, headers without a user name get the same message as with them on.
 */
export class Impersonation {
  readonly #authorizer: Authorizer;
  readonly #modes: readonly Mode[];
  /** By user name of the requestor. */
  readonly #lastMode = new LruCache<string, Mode>(maxRemembered);

  /** `constrained`: the feature gate ConstrainedImpersonation. */
  constructor(authorizer: Authorizer, constrained = true) {
    this.#authorizer = authorizer;
    this.#modes = constrained ? [...constrainedModes, unconstrained] : [unconstrained];
  }

  /**
   * Returns the impersonated user, or undefined for a request without impersonation. `attributes` are those of the
   * request with its authenticated user. Throws BadRequest for headers without a user name, Forbidden when it is not
   * allowed.
   */
  async impersonatedUser(
    headers: RequestHeaders,
    attributes: AuthorizationAttributes,
  ): Promise<Impersonated | undefined> {
    const wanted = wantedUser(headers);
    if (!wanted) return undefined;
    const requestor = attributes.user.username;
    const last = this.#lastMode.get(requestor);
    const modes = last ? [last, ...this.#modes.filter((mode) => mode !== last)] : this.#modes;
    let refusal: ApiError | undefined;
    for (const mode of modes) {
      if (!mode.applies(wanted, attributes.user)) continue;
      const refused = await this.#check(mode, wanted, attributes);
      if (refused) {
        refusal ??= refused;
        continue;
      }
      this.#lastMode.set(requestor, mode);
      return { user: impersonated(mode, wanted), constraint: mode.name && `impersonate:${mode.name}` };
    }
    throw refusal ?? new Error('all impersonation modes failed');
  }

  async #check(mode: Mode, wanted: WantedUser, attributes: AuthorizationAttributes): Promise<ApiError | undefined> {
    // `runsOn` has checked the node name. Only the keys of extra are passed on, so the decision is the same for all
    // nodes.
    const user =
      mode.name === 'associated-node'
        ? {
            ...attributes.user,
            extra: {
              'authentication.kubernetes.io/associated-node-keys': Object.keys(attributes.user.extra ?? {}).sort(),
            },
          }
        : attributes.user;
    if (mode !== unconstrained) {
      const verb = `impersonate-on:${mode.name}:${attributes.verb}`;
      const refused = await this.#refusal({ ...attributes, user, verb });
      if (refused) return refused;
    }
    for (const alternatives of requiredChecks(mode, wanted, user)) {
      if ('refused' in alternatives) return alternatives.refused;
      const refused = await this.#refusalOfAny(alternatives.checks);
      if (refused) return refused;
    }
    return undefined;
  }

  /** Returns undefined when all checks of at least one group pass; otherwise the error of the last group. */
  async #refusalOfAny(groups: readonly (readonly AuthorizationAttributes[])[]): Promise<ApiError | undefined> {
    let refused: ApiError | undefined;
    for (const checks of groups) {
      refused = undefined;
      for (const check of checks) {
        refused = await this.#refusal(check);
        if (refused) break;
      }
      if (!refused) return undefined;
    }
    return refused;
  }

  async #refusal(attributes: AuthorizationAttributes): Promise<ApiError | undefined> {
    const { decision, reason, error } = await this.#authorizer.authorize(attributes);
    const why = [error?.message ?? '', reason].filter((text) => text !== '').join(': ');
    return decision === 'allow' ? undefined : forbidden(attributes, why);
  }
}

type Requirement = { checks: readonly (readonly AuthorizationAttributes[])[] } | { refused: ApiError };

/** The required permissions in upstream's order: name, uid, groups, extra. */
function requiredChecks(mode: Mode, wanted: WantedUser, user: UserInfo): Requirement[] {
  const constrained = mode !== unconstrained;
  const verb = constrained ? `impersonate:${mode.name}` : 'impersonate';
  const version = { apiVersion: 'v1' };
  const authentication = { ...version, apiGroup: 'authentication.k8s.io' };
  const identity = constrained ? authentication : { ...version, apiGroup: '' };
  const required: Requirement[] = [
    { checks: [[resourceAttributes({ user, verb, ...identity, ...nameCheck(mode, wanted) })]] },
  ];
  if (wanted.uid !== '') {
    required.push({
      checks: [[resourceAttributes({ user, verb, ...authentication, resource: 'uids', name: wanted.uid })]],
    });
  }
  if (wanted.groups.length > 0) {
    const check = (name: string) => resourceAttributes({ user, verb, ...identity, resource: 'groups', name });
    required.push(
      (constrained && refusedGroups(wanted.groups, check)) || {
        checks: [...(constrained && wanted.groups.length >= many ? [[check('*')]] : []), wanted.groups.map(check)],
      },
    );
  }
  if (wanted.extra.size > 0) {
    const check = (subresource: string, name: string) =>
      resourceAttributes({ user, verb, ...authentication, resource: 'userextras', subresource, name });
    const each = [...wanted.extra].flatMap(([key, values]) => values.map((value) => check(key, value)));
    required.push(
      (constrained && refusedExtra(wanted.extra, check('', ''))) || {
        checks: [...(constrained && each.length >= many ? [[check('*', '*')]] : []), each],
      },
    );
  }
  return required;
}

function nameCheck(mode: Mode, wanted: WantedUser): { resource: string; namespace?: string; name: string } {
  const node = mode === unconstrained ? undefined : nodeName(wanted);
  // `runsOn` has checked the name, so that the permission is for all nodes.
  if (node !== undefined) return { resource: 'nodes', name: mode.name === 'associated-node' ? '*' : node };
  const account = serviceAccount(wanted);
  return account ? { resource: 'serviceaccounts', ...account } : { resource: 'users', name: wanted.username };
}

function refusedGroups(
  groups: readonly string[],
  check: (name: string) => AuthorizationAttributes,
): Requirement | undefined {
  if (groups.includes('')) {
    return { refused: forbidden(check(''), 'impersonating the empty string group is not allowed') };
  }
  if (groups.includes(privilegedGroup)) {
    return {
      refused: forbidden(check(privilegedGroup), `impersonating the ${privilegedGroup} group is not allowed`),
    };
  }
  return undefined;
}

function refusedExtra(extra: WantedUser['extra'], check: AuthorizationAttributes): Requirement | undefined {
  for (const [key, values] of extra) {
    const why = badExtra(key, values);
    if (why) return { refused: forbidden(check, why) };
  }
  return undefined;
}

function badExtra(key: string, values: readonly string[]): string | undefined {
  if (key === '') return 'impersonating the empty string key in extra is not allowed';
  const errors = isDomainPrefixedPath(Path.of('extra', 'key'), key);
  if (errors.length > 0) return `impersonating an invalid key in extra is not allowed: ${aggregate(errors)}`;
  if (key !== key.toLowerCase()) return `impersonating a non-lowercase key in extra is not allowed: ${quote(key)}`;
  return values.includes('') ? 'impersonating the empty string value in extra is not allowed' : undefined;
}

/** The impersonated user with the groups that its name implies. */
function impersonated(mode: Mode, wanted: WantedUser): UserInfo {
  const { username, uid, extra } = wanted;
  const account = serviceAccount(wanted);
  let groups = [...wanted.groups];
  if (mode !== unconstrained && nodeName(wanted) !== undefined) groups = ['system:nodes'];
  else if (account && groups.length === 0) groups = [...(serviceAccountUser({ ...account, uid: '' }).groups ?? [])];
  if (username === 'system:anonymous') addTo(groups, 'system:unauthenticated');
  else if (!groups.includes('system:unauthenticated')) addTo(groups, 'system:authenticated');
  return { username, ...(uid && { uid }), groups, ...(extra.size > 0 && { extra: Object.fromEntries(extra) }) };
}

function addTo(groups: string[], group: string): void {
  if (!groups.includes(group)) groups.push(group);
}

const isOnlyNamed = ({ uid, groups, extra }: WantedUser): boolean =>
  uid === '' && groups.length === 0 && extra.size === 0;

const serviceAccount = ({ username }: WantedUser) => splitServiceAccountUsername(username);

function nodeName({ username }: WantedUser): string | undefined {
  const prefix = 'system:node:';
  if (!username.startsWith(prefix)) return undefined;
  const name = username.slice(prefix.length);
  return nameIsDnsSubdomain(name, false).length === 0 ? name : undefined;
}

/** Whether the requestor is a service account whose pod runs on the node. */
function runsOn({ username, extra }: UserInfo, wanted: WantedUser): boolean {
  const node = nodeName(wanted);
  if (node === undefined || splitServiceAccountUsername(username) === undefined) return false;
  const nodes = extra && Object.hasOwn(extra, nodeNameKey) ? extra[nodeNameKey] : undefined;
  return nodes?.length === 1 && nodes[0] === node;
}
