import { quote } from '../strconv/quote.ts';
import type { GroupVersion, GroupVersionResource } from './group-version.ts';

export interface ResourcePathOptions {
  /** Omitted for cluster-scoped resources and for all namespaces. */
  namespace?: string | undefined;
  /** Omitted for the collection. */
  name?: string | undefined;
  /** `status`, `log`, …; with a further path for `proxy`. */
  subresource?: string | undefined;
}

/** Returns the URL path of a group version: `/api/v1`, `/apis/apps/v1`. */
export function groupVersionPath({ group, version }: GroupVersion | GroupVersionResource): string {
  return group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
}

/**
 * Returns the URL path of a resource, an object or a subresource, percent-encoded. Throws when a name cannot be a path segment, or when
 * there is a subresource without a name.
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

/** Returns why the name cannot be a path segment; nothing when it can. */
export function pathSegmentProblems(name: string): string[] {
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  return ['/', '%'].filter((character) => name.includes(character)).map((it) => `may not contain '${it}'`);
}

/** Most names match this, and need neither checks nor encoding. */
const plain = /^[a-z0-9][a-z0-9.-]*$/;

function segment(what: string, name: string): string {
  if (plain.test(name)) return name;
  const problems = pathSegmentProblems(name);
  if (problems.length > 0) throw new Error(`invalid ${what} ${quote(name)}: [${problems.join(' ')}]`);
  return encodeURIComponent(name);
}
