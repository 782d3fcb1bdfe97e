import { quote } from '../strconv/quote.ts';
import type { GroupVersion, GroupVersionResource } from './group-version.ts';

export interface ResourcePathOptions {
  /** Left out for cluster-scoped resources and for all namespaces. */
  namespace?: string | undefined;
  /** Left out for the collection. */
  name?: string | undefined;
  /** `status`, `log`, …; a further path for `proxy`. */
  subresource?: string | undefined;
}

/** Where a group version is served: `/api/v1`, `/apis/apps/v1`. */
export function groupVersionPath({ group, version }: GroupVersion | GroupVersionResource): string {
  return group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
}

/**
 * The URL path of a resource, an object or a subresource, percent-encoded. Throws when a name cannot be a segment of
 * a path, and when there is a subresource but no name.
 */
export function resourcePath(resource: GroupVersionResource, options: ResourcePathOptions = {}): string {
  const { namespace = '', name = '', subresource = '' } = options;
  let path = groupVersionPath(resource);
  if (namespace !== '') path += `/namespaces/${segment('namespace', namespace)}`;
  path += `/${encodeURIComponent(resource.resource)}`;
  if (name !== '') path += `/${segment('resource name', name)}`;
  if (subresource === '') return path;
  if (name === '') throw new Error('resource name may not be empty');
  if (plain.test(subresource)) return `${path}/${subresource}`;
  const parts = subresource.split('/').map((part) => segment('subresource', part));
  return `${path}/${parts.join('/')}`;
}

/** Why the name cannot be a segment of a path; nothing when it can. */
export function pathSegmentProblems(name: string): string[] {
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  return ['/', '%'].filter((character) => name.includes(character)).map((it) => `may not contain '${it}'`);
}

/** Most names are of nothing else, and as they are then. */
const plain = /^[a-z0-9][a-z0-9.-]*$/;

function segment(what: string, name: string): string {
  if (plain.test(name)) return name;
  const problems = pathSegmentProblems(name);
  if (problems.length > 0) throw new Error(`invalid ${what} ${quote(name)}: [${problems.join(' ')}]`);
  return encodeURIComponent(name);
}
