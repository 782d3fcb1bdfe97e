import { isJsonObject, jsonEquals, setOwnEntry } from '../json/index.ts';
import { indexItems } from './list-items.ts';
import { alternativeOf, type ListType, type MapType, typeOfKey, type ValueType } from './value-type.ts';

/**
 * Merges `config` into `live`. Where both have a value, `config` wins; nothing is removed. Both must have passed validation, and `config`
 * must have no duplicates. The result shares parts with both, and is `live` itself when nothing changes.
 */
export function mergeValues(type: ValueType, live: unknown, config: unknown): unknown {
  if (config === undefined || live === config) return live;
  if (live === undefined) return config;
  switch (alternativeOf(type, config)) {
    case 'list':
      return mergeLists(type.list!, live, config);
    case 'map':
      return mergeMaps(type.map!, live, config);
    default:
      return config;
  }
}

const replace = (live: unknown, config: unknown): unknown => (jsonEquals(live, config) ? live : config);

function mergeMaps(type: MapType, live: unknown, config: unknown): unknown {
  if (type.atomic || !isJsonObject(live)) return replace(live, config);
  // A null in the configuration keeps a map that is not empty and replaces an empty one.
  if (!isJsonObject(config)) return Object.keys(live).length > 0 ? live : config;
  let merged: Record<string, unknown> | undefined;
  for (const key of Object.keys(config)) {
    const ours = Object.hasOwn(live, key) ? live[key] : undefined;
    const value = mergeValues(typeOfKey(type, key), ours, config[key]);
    if (value === ours) continue;
    merged ??= { ...live };
    setOwnEntry(merged, key, value);
  }
  return merged ?? live;
}

function mergeLists(type: ListType, live: unknown, config: unknown): unknown {
  if (type.atomic || !Array.isArray(live) || live.length === 0) return replace(live, config);
  if (!Array.isArray(config) || config.length === 0) return live;
  const left = indexItems(type, live);
  const right = indexItems(type, config);

  // For each position, the first of the config's items at or after it that live has as well.
  const nextShared: (string | undefined)[] = [];
  for (let i = right.elements.length - 1; i >= 0; i--)
    nextShared[i] = left.items.has(right.elements[i]!) ? right.elements[i] : nextShared[i + 1];

  // Walks both lists side by side. Items in both take the config's order; an item that only live has stays behind the one it followed.
  const merged: unknown[] = [];
  const taken = new Set<string>();
  let l = 0;
  let r = 0;
  const takeConfig = (element: string): void => {
    taken.add(element);
    const [ours, ...twins] = left.items.get(element) ?? [];
    // Duplicates in live are ambiguous: the config's item replaces them all.
    merged.push(mergeValues(type.items, twins.length > 0 ? undefined : ours, right.items.get(element)![0]));
    r++;
  };
  while (l < left.elements.length || r < right.elements.length) {
    const ours = left.elements[l];
    const theirs = right.elements[r];
    if (ours !== undefined && ours === theirs) {
      takeConfig(theirs);
      l++;
      continue;
    }
    const shared = ours !== undefined && right.items.has(ours);
    if (shared && theirs !== undefined && nextShared[r] !== undefined && nextShared[r] !== ours) {
      l++; // emitted at its place in the config, before or after this
      continue;
    }
    if (ours !== undefined && !shared) {
      merged.push(live[l++]);
      continue;
    }
    if (ours !== undefined && taken.has(ours)) l++;
    if (theirs !== undefined) takeConfig(theirs);
  }
  return merged.length === live.length && merged.every((item, i) => item === live[i]) ? live : merged;
}
