import type { UserInfo } from '@coxswain/api';
import type {
  FlowSchema,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
  Subject,
} from '@coxswain/api/flowcontrol/v1';
import type { RequestInfo } from '../http/request-context.ts';

export type FlowMatcher = (user: UserInfo, info: RequestInfo) => boolean;

/** Returns a function that tests whether a request matches the schema. The schema is evaluated only here. */
export function flowSchemaMatcher({ spec }: FlowSchema): FlowMatcher {
  const rules = (spec?.rules ?? []).map(ruleMatcher);
  return (user, info) => {
    for (const matches of rules) if (matches(user, info)) return true;
    return false;
  };
}

function ruleMatcher({ subjects, resourceRules = [], nonResourceRules = [] }: PolicyRulesWithSubjects): FlowMatcher {
  const isSubject = subjectMatcher(subjects);
  const resources = resourceRules.map(resourceMatcher);
  const paths = nonResourceRules.map(pathMatcher);
  return (user, info) => {
    if (!isSubject(user)) return false;
    for (const matches of info.isResourceRequest ? resources : paths) if (matches(info)) return true;
    return false;
  };
}

const serviceAccountPrefix = 'system:serviceaccount:';

function subjectMatcher(subjects: readonly Subject[]): (user: UserInfo) => boolean {
  const users = new Set<string>();
  const groups = new Set<string>();
  /** Prefixes of the user names of all service accounts in a namespace. */
  const prefixes: string[] = [];
  for (const { kind, user, group, serviceAccount } of subjects) {
    if (kind === 'User' && user) users.add(user.name);
    if (kind === 'Group' && group) groups.add(group.name);
    if (kind === 'ServiceAccount' && serviceAccount) {
      const prefix = `${serviceAccountPrefix}${serviceAccount.namespace}:`;
      if (serviceAccount.name === '*') prefixes.push(prefix);
      else users.add(`${prefix}${serviceAccount.name}`);
    }
  }
  if (users.has('*') || groups.has('*')) return () => true;
  return (user) => {
    if (users.has(user.username)) return true;
    for (const group of user.groups ?? nobody) if (groups.has(group)) return true;
    for (const prefix of prefixes) if (user.username.startsWith(prefix)) return true;
    return false;
  };
}

const nobody: readonly string[] = [];

type InfoMatcher = (info: RequestInfo) => boolean;

function resourceMatcher(rule: ResourcePolicyRule): InfoMatcher {
  const verbs = oneOf(rule.verbs);
  const groups = oneOf(rule.apiGroups);
  const resources = oneOf(rule.resources);
  const namespaces = oneOf(rule.namespaces ?? []);
  const { clusterScope = false } = rule;
  return (info) =>
    verbs(info.verb) &&
    groups(info.apiGroup) &&
    resources(info.subresource === '' ? info.resource : `${info.resource}/${info.subresource}`) &&
    (info.namespace === '' ? clusterScope : namespaces(info.namespace));
}

function pathMatcher(rule: NonResourcePolicyRule): InfoMatcher {
  const verbs = oneOf(rule.verbs);
  const all = rule.nonResourceURLs.includes('*');
  const exact = new Set(rule.nonResourceURLs);
  // As upstream, a path without an asterisk also matches all paths below it.
  const prefixes = rule.nonResourceURLs.map((path) => {
    const prefix = path.endsWith('*') ? path.slice(0, -1) : path;
    return prefix.endsWith('/') ? prefix : `${prefix}/`;
  });
  return ({ verb, path }) =>
    verbs(verb) && (all || exact.has(path) || prefixes.some((prefix) => path.startsWith(prefix)));
}

/** Returns a test for membership. A single `*` matches everything; among other values it has no special meaning. */
function oneOf(values: readonly string[]): (value: string) => boolean {
  if (values.length === 1) {
    const [only] = values;
    return only === '*' ? () => true : (value) => value === only;
  }
  const set = new Set(values);
  return (value) => set.has(value);
}
