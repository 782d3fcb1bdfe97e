import type { FeatureGates, FeatureName } from '@coxswain/api';
import type { PolicyRule } from '@coxswain/api/rbac/v1';

/**
 * Roles by name, each rule as a line: `VERBS GROUPS: RESOURCES`, optionally followed by ` named NAMES`, or
 * `VERBS urls: PATHS`. `read` and `write` stand for several verbs, `core` for the core group. A prefix `@Feature ` of a
 * role's name or a rule, or a suffix of a path (`/flagz@ComponentFlagz`), requires that feature gate.
 */
export type RoleTable = Readonly<Record<string, readonly string[]>>;

/** The rule of components that record events. */
export const events = 'create,update,patch core,events.k8s.io: events';

const verbs: Readonly<Record<string, readonly string[]>> = {
  read: ['get', 'list', 'watch'],
  write: ['create', 'update', 'patch', 'delete', 'deletecollection'],
};

/** Parses a line to a rule. Returns undefined when it requires a feature that is off. */
export function parseRule(line: string, gates: FeatureGates): PolicyRule | undefined {
  const rule = gated(line, gates);
  if (rule === undefined) return undefined;
  const [head = '', tail = ''] = splitOnce(rule, ': ');
  const [verbList = '', groups = ''] = splitOnce(head, ' ');
  const parsed: PolicyRule = { verbs: sorted(verbList.split(',').flatMap((verb) => verbs[verb] ?? verb)) };
  if (groups === 'urls') {
    parsed.nonResourceURLs = sorted(items(tail).flatMap((url) => gatedPath(url, gates)));
    return parsed;
  }
  const [resources = '', names] = splitOnce(tail, ' named ');
  parsed.apiGroups = sorted(groups.split(',').map((group) => (group === 'core' ? '' : group)));
  parsed.resources = sorted(items(resources));
  if (names !== undefined) parsed.resourceNames = sorted(items(names));
  return parsed;
}

/** Strips the required features from a line. Returns undefined when one of them is off. */
export function gated(line: string, gates: FeatureGates): string | undefined {
  let rest = line;
  while (rest.startsWith('@')) {
    const end = rest.indexOf(' ');
    if (!gates.enabled(rest.slice(1, end) as FeatureName)) return undefined;
    rest = rest.slice(end + 1);
  }
  return rest;
}

function gatedPath(item: string, gates: FeatureGates): string[] {
  const [path = '', feature] = splitOnce(item, '@');
  return feature === undefined || gates.enabled(feature as FeatureName) ? [path] : [];
}

function splitOnce(text: string, separator: string): string[] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + separator.length)];
}

const items = (list: string): string[] => list.split(', ');
const sorted = (list: string[]): string[] => list.sort();
