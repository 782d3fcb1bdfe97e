import type { PolicyRule } from '@coxswain/api/rbac/v1';
import type { AuthorizationAttributes } from '@coxswain/component-base/authorization';
import { matchesPrefix } from './rule-coverage.ts';

/** Undefined: everything is allowed. */
type Allowed = ReadonlySet<string> | undefined;

interface Condition {
  readonly verbs: Allowed;
  readonly groups: Allowed;
  readonly names: Allowed;
}

/** The parts of a request that rules match, prepared once for all rules. */
export interface RuleRequest {
  readonly attributes: AuthorizationAttributes;
  /** `pods` or `pods/log`. */
  readonly resource: string;
  /**
   * The same subresource of any resource, as rules write it: `*` in place of the resource. Empty without a subresource.
   */
  readonly anyWithSubresource: string;
}

export function ruleRequest(attributes: AuthorizationAttributes): RuleRequest {
  const { resource, subresource } = attributes;
  return subresource === ''
    ? { attributes, resource, anyWithSubresource: '' }
    : { attributes, resource: `${resource}/${subresource}`, anyWithSubresource: `*/${subresource}` };
}

/** The rules of a role, indexed by resource, so that a request is only matched against few of them. */
export class PolicyRules {
  readonly #byResource = new Map<string, Condition[]>();
  readonly #urls: { readonly pattern: string; readonly verbs: Allowed }[] = [];

  constructor(rules: readonly PolicyRule[]) {
    for (const rule of rules) {
      const verbs = allowed(rule.verbs);
      const condition: Condition = {
        verbs,
        groups: allowed(rule.apiGroups),
        names: rule.resourceNames?.length ? new Set(rule.resourceNames) : undefined,
      };
      for (const resource of rule.resources ?? []) {
        const conditions = this.#byResource.get(resource);
        if (conditions) conditions.push(condition);
        else this.#byResource.set(resource, [condition]);
      }
      for (const pattern of rule.nonResourceURLs ?? []) this.#urls.push({ pattern, verbs });
    }
  }

  allow({ attributes, resource, anyWithSubresource }: RuleRequest): boolean {
    if (!attributes.resourceRequest) {
      const { path, verb } = attributes;
      return this.#urls.some(
        ({ pattern, verbs }) => has(verbs, verb) && (pattern === path || matchesPrefix(pattern, path)),
      );
    }
    return (
      anyHolds(this.#byResource.get(resource), attributes) ||
      anyHolds(this.#byResource.get('*'), attributes) ||
      (anyWithSubresource !== '' && anyHolds(this.#byResource.get(anyWithSubresource), attributes))
    );
  }
}

function anyHolds(conditions: readonly Condition[] | undefined, attributes: AuthorizationAttributes): boolean {
  if (conditions === undefined) return false;
  for (const { verbs, groups, names } of conditions) {
    if (has(verbs, attributes.verb) && has(groups, attributes.apiGroup) && has(names, attributes.name)) return true;
  }
  return false;
}

const allowed = (list: readonly string[] = []): Allowed => (list.includes('*') ? undefined : new Set(list));
const has = (set: Allowed, item: string): boolean => set === undefined || set.has(item);
