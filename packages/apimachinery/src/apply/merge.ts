import { isJsonObject, jsonEquals, setOwnEntry } from '../json/index.ts';
import { indexItems } from './list-items.ts';
import { alternativeOf, type ListType, type MapType, typeOfKey, type ValueType } from './value-type.ts';

/**
 * `config` laid over `live`: what only one of them says stays, where both speak `config` wins. Removes nothing.
 * Both must have passed validation, and `config` must have no duplicates. Shares with both what it takes from them, and
 * is `live` itself when nothing changes.
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
  // Null asks for nothing; it only replaces what is empty.
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

  // The next of the config's items, from each position on, that live has as well.
  const nextShared: (string | undefined)[] = [];
  for (let i = right.elements.length - 1; i >= 0; i--)
    nextShared[i] = left.items.has(right.elements[i]!) ? right.elements[i] : nextShared[i + 1];

  // The items of both are walked side by side. Those they share come in the config's order; each of live's own
  // keeps its place behind the one it followed.
  const merged: unknown[] = [];
  const taken = new Set<string>();
  let l = 0;
  let r = 0;
  const takeConfig = (element: string): void => {
    taken.add(element);
    const [ours, ...twins] = left.items.get(element) ?? [];
    // Of duplicates nobody can say which one is meant: the config's item replaces them all.
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
      l++; // its turn comes, or came, at the config's place
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
