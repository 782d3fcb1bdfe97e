import type { PolicyRule } from '@coxswain/api/rbac/v1';
import { quote } from '@coxswain/apimachinery';

/**
 * The parts of `wanted` that no rule of `held` grants, each with a single verb, resource and name (or verb and URL).
 */
export function uncoveredRules(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  return wanted.flatMap(breakDown).filter((atom) => !held.some((rule) => ruleCovers(rule, atom)));
}

function breakDown(rule: PolicyRule): PolicyRule[] {
  const atoms: PolicyRule[] = [];
  for (const group of rule.apiGroups ?? []) {
    for (const resource of rule.resources ?? []) {
      for (const verb of rule.verbs) {
        const atom = { apiGroups: [group], resources: [resource], verbs: [verb] };
        if (!rule.resourceNames?.length) atoms.push(atom);
        else for (const name of rule.resourceNames) atoms.push({ ...atom, resourceNames: [name] });
      }
    }
  }
  for (const url of rule.nonResourceURLs ?? []) {
    for (const verb of rule.verbs) atoms.push({ nonResourceURLs: [url], verbs: [verb] });
  }
  return atoms;
}

/** Each list of `atom` has at most one item. */
function ruleCovers(rule: PolicyRule, atom: PolicyRule): boolean {
  return (
    hasOrAny(rule.verbs, atom.verbs[0]) &&
    hasOrAny(rule.apiGroups, atom.apiGroups?.[0]) &&
    (hasOrAny(rule.resources, atom.resources?.[0]) || hasAnySubresource(rule.resources, atom.resources?.[0])) &&
    (!rule.resourceNames?.length ||
      (atom.resourceNames !== undefined && hasOrNone(rule.resourceNames, atom.resourceNames[0]))) &&
    urlCovered(rule.nonResourceURLs, atom.nonResourceURLs?.[0])
  );
}

const hasOrNone = (list: readonly string[] | undefined, item: string | undefined): boolean =>
  item === undefined || (list?.includes(item) ?? false);

const hasOrAny = (list: readonly string[] | undefined, item: string | undefined): boolean =>
  hasOrNone(list, item) || (list?.includes('*') ?? false);

function hasAnySubresource(resources: readonly string[] | undefined, resource = ''): boolean {
  const slash = resource.indexOf('/');
  return slash >= 0 && (resources?.includes(`*${resource.slice(slash)}`) ?? false);
}

const urlCovered = (urls: readonly string[] | undefined, url: string | undefined): boolean =>
  url === undefined || (urls?.some((held) => held === url || matchesPrefix(held, url)) ?? false);

/** Whether `pattern` ends with `*`, and `url` starts with the text before it. */
export function matchesPrefix(pattern: string, url: string): boolean {
  let end = pattern.length;
  while (end > 0 && pattern[end - 1] === '*') end--;
  return end < pattern.length && url.startsWith(pattern.slice(0, end));
}

/** Formats rules as in upstream's messages: sorted, with those merged that differ only in their verb. */
export function describeRules(atoms: readonly PolicyRule[]): string[] {
  const merged = new Map<string, PolicyRule>();
  for (const atom of atoms) {
    const { verbs, ...rest } = atom;
    // Rules with URLs are not merged.
    const key = JSON.stringify(rest.nonResourceURLs ? atom : rest);
    const same = merged.get(key);
    if (same && !rest.nonResourceURLs) same.verbs.push(...verbs);
    else merged.set(key, { ...rest, verbs: [...verbs] });
  }
  return [...new Set([...merged.values()].map(describeRule))].sort();
}

function describeRule(rule: PolicyRule): string {
  const parts: [string, string[] | undefined][] = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ];
  return `{${parts.flatMap(([name, list]) => (list?.length ? `${name}:${quoteList(list)}` : [])).join(', ')}}`;
}

/** `["a" "b"]`, as Go's `%q` prints a list of strings. */
export const quoteList = (list: readonly string[] = []): string => `[${list.map(quote).join(' ')}]`;
