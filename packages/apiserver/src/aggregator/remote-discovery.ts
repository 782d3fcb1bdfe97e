import type { GroupVersionResources, Resource } from '@coxswain/api';
import { isJsonObject } from '@coxswain/apimachinery';
import type { RemoteApi } from './remote-api.ts';

type Subresource = NonNullable<Resource['subresources']>[number];

const timeoutMs = 5_000;
const aggregatedTypes = ['v2', 'v2beta1']
  .map((version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`)
  .join(',');

/**
 * Fetches the resources of a group version from the aggregated discovery document, or from the legacy document of the
 * group version when the server is too old for the former. Rejects when it can read neither.
 */
export async function fetchResources(
  remote: RemoteApi,
  group: string,
  version: string,
): Promise<GroupVersionResources> {
  const all = await remote.fetch('/apis', { accept: `${aggregatedTypes},application/json` }, timeoutMs);
  if (all.status === 503) throw new Error('the server is unavailable');
  const contentType = String(all.headers['content-type'] ?? '');
  if (all.status === 200 && contentType.includes('as=APIGroupDiscoveryList'))
    return { group, version, resources: fromAggregated(parse(all.body), group, version) };
  const path = `/apis/${group}/${version}`;
  const own = await remote.fetch(path, { accept: 'application/json' }, timeoutMs);
  if (own.status !== 200) throw new Error(`failed to download legacy discovery for ${path}: status ${own.status}`);
  return { group, version, resources: fromLegacy(parse(own.body)) };
}

function parse(body: Buffer): Record<string, unknown> {
  const value: unknown = JSON.parse(body.toString());
  if (!isJsonObject(value)) throw new Error('the discovery document is not a JSON object');
  return value;
}

function fromAggregated(document: Record<string, unknown>, group: string, version: string): Resource[] {
  const found = objects(document.items).find(({ metadata }) => isJsonObject(metadata) && metadata.name === group);
  const served = objects(found?.versions).find((candidate) => candidate.version === version);
  return objects(served?.resources).map((entry) => ({
    name: text(entry.resource),
    singularName: text(entry.singularResource),
    namespaced: entry.scope === 'Namespaced',
    kind: text(kindOf(entry).kind),
    verbs: strings(entry.verbs).join(' '),
    ...lists(entry),
    ...(objects(entry.subresources).length > 0 && {
      subresources: objects(entry.subresources).map((sub) => ({
        name: text(sub.subresource),
        verbs: strings(sub.verbs).join(' '),
        kind: text(kindOf(sub).kind),
        ...(kindOf(sub).group ? { group: text(kindOf(sub).group) } : {}),
        ...(kindOf(sub).version ? { version: text(kindOf(sub).version) } : {}),
      })),
    }),
  }));
}

const kindOf = ({ responseKind }: Record<string, unknown>): Record<string, unknown> =>
  isJsonObject(responseKind) ? responseKind : {};

function fromLegacy(document: Record<string, unknown>): Resource[] {
  const subresources = new Map<string, Subresource[]>();
  const resources: Record<string, unknown>[] = [];
  for (const entry of objects(document.resources)) {
    const [name = '', ...rest] = text(entry.name).split('/');
    if (rest.length === 0) resources.push(entry);
    else {
      const others = subresources.get(name);
      const sub = {
        name: rest.join('/'),
        verbs: strings(entry.verbs).join(' '),
        kind: text(entry.kind),
        ...(entry.group ? { group: text(entry.group) } : {}),
        ...(entry.version ? { version: text(entry.version) } : {}),
      };
      if (others) others.push(sub);
      else subresources.set(name, [sub]);
    }
  }
  return resources.map((entry) => {
    const own = subresources.get(text(entry.name));
    return {
      name: text(entry.name),
      singularName: text(entry.singularName),
      namespaced: entry.namespaced === true,
      kind: text(entry.kind),
      verbs: strings(entry.verbs).join(' '),
      ...lists(entry),
      ...(own && { subresources: own }),
    };
  });
}

const lists = ({ shortNames, categories }: Record<string, unknown>): Pick<Resource, 'shortNames' | 'categories'> => ({
  ...(strings(shortNames).length > 0 && { shortNames: strings(shortNames) }),
  ...(strings(categories).length > 0 && { categories: strings(categories) }),
});

/* The documents are untrusted: values of other types are dropped. */
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
const objects = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value.filter(isJsonObject) : []);
