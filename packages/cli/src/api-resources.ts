import type { Catalogue } from '@coxswain/api';
import { GroupVersion } from '@coxswain/apimachinery';
import { columns } from './columns.ts';

export interface ApiResourcesOptions {
  /** Includes versions that are off by default. */
  readonly all?: boolean;
  /** Only this group; the empty string is the core group. */
  readonly apiGroup?: string;
  readonly namespaced?: boolean;
}

/**
 * Returns the built-in resources in the format of `kubectl api-resources`: each in its preferred version, or with `all` in every version.
 */
export function apiResources(catalogue: Catalogue, options: ApiResourcesOptions = {}): string {
  const rows = [['NAME', 'SHORTNAMES', 'APIVERSION', 'NAMESPACED', 'KIND']];
  const listed = new Set<string>();
  const groups = [...catalogue.groupVersions].sort((a, b) => (a.group < b.group ? -1 : a.group > b.group ? 1 : 0));
  for (const { group, version, resources } of groups) {
    if (options.apiGroup !== undefined && group !== options.apiGroup) continue;
    const groupVersion = GroupVersion.of(group, version);
    if (!options.all && !catalogue.enabledByDefault(groupVersion)) continue;
    for (const { name, shortNames, namespaced, kind } of resources) {
      if (options.namespaced !== undefined && namespaced !== options.namespaced) continue;
      if (!options.all && listed.has(`${group}/${name}`)) continue;
      listed.add(`${group}/${name}`);
      rows.push([name, (shortNames ?? []).join(','), groupVersion.toString(), String(namespaced), kind]);
    }
  }
  return columns(rows);
}
