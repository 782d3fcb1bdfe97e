import type { AuthorizationAttributes } from '../authorization/index.ts';

/** How much of a request is recorded. Each level includes the ones before it. */
export const auditLevels = ['None', 'Metadata', 'Request', 'RequestResponse'] as const;
export type AuditLevel = (typeof auditLevels)[number];

/** The points in the life of a request at which an event is recorded. */
export const auditStages = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const;
export type AuditStage = (typeof auditStages)[number];

/** A rule of a policy file. An empty list matches everything. */
export interface AuditRule {
  readonly level: AuditLevel;
  readonly users: readonly string[];
  readonly userGroups: readonly string[];
  readonly verbs: readonly string[];
  readonly resources: readonly {
    readonly group: string;
    readonly resources: readonly string[];
    readonly resourceNames: readonly string[];
  }[];
  readonly namespaces: readonly string[];
  readonly nonResourceURLs: readonly string[];
  readonly omitStages: readonly AuditStage[];
  /** Absent: the policy's `omitManagedFields` applies. */
  readonly omitManagedFields?: boolean;
}

/** How one request is recorded. */
export interface AuditDecision {
  readonly level: AuditLevel;
  readonly omitStages: ReadonlySet<AuditStage>;
  readonly omitManagedFields: boolean;
}

export interface AuditPolicySpec {
  readonly rules: readonly AuditRule[];
  readonly omitStages: readonly AuditStage[];
  readonly omitManagedFields: boolean;
}

/** Decides how much of a request is recorded: by the first matching rule, or at level None when no rule matches. */
export class AuditPolicy {
  readonly #rules: readonly { readonly rule: AuditRule; readonly decision: AuditDecision }[];
  readonly #otherwise: AuditDecision;

  constructor({ rules, omitStages, omitManagedFields }: AuditPolicySpec) {
    this.#rules = rules.map((rule) => ({
      rule,
      decision: {
        level: rule.level,
        omitStages: new Set([...omitStages, ...rule.omitStages]),
        omitManagedFields: rule.omitManagedFields ?? omitManagedFields,
      },
    }));
    this.#otherwise = { level: 'None', omitStages: new Set(omitStages), omitManagedFields };
  }

  decide(attributes: AuthorizationAttributes): AuditDecision {
    for (const { rule, decision } of this.#rules) if (matches(rule, attributes)) return decision;
    return this.#otherwise;
  }
}

const allows = (list: readonly string[], value: string): boolean => list.length === 0 || list.includes(value);

function matches(rule: AuditRule, attributes: AuthorizationAttributes): boolean {
  const { username, groups = [] } = attributes.user;
  if (!allows(rule.users, username ?? '') || !allows(rule.verbs, attributes.verb)) return false;
  if (rule.userGroups.length > 0 && !groups.some((group) => rule.userGroups.includes(group))) return false;
  if (rule.namespaces.length > 0 || rule.resources.length > 0) return matchesResource(rule, attributes);
  if (rule.nonResourceURLs.length === 0) return true;
  return !attributes.resourceRequest && rule.nonResourceURLs.some((pattern) => matchesPath(pattern, attributes.path));
}

/** A trailing `*` matches any suffix, also the empty one. */
const matchesPath = (pattern: string, path: string): boolean =>
  pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.replace(/\*+$/, '')));

function matchesResource(rule: AuditRule, attributes: AuthorizationAttributes): boolean {
  const { resourceRequest, namespace, apiGroup, resource, subresource, name } = attributes;
  // The namespace of cluster-scoped objects is the empty string.
  if (!resourceRequest || !allows(rule.namespaces, namespace)) return false;
  if (rule.resources.length === 0) return true;
  const names = new Set(['*', `${resource}/*`]);
  if (subresource === '') names.add(resource);
  else names.add(`${resource}/${subresource}`).add(`*/${subresource}`);
  return rule.resources.some(
    ({ group, resources, resourceNames }) =>
      (group === '*' || group === apiGroup) &&
      (resources.length === 0 || (allows(resourceNames, name) && resources.some((each) => names.has(each)))),
  );
}
