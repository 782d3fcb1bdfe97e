import { JsonDepthError, MAX_JSON_DEPTH } from './depth.ts';
import { jsonEquals } from './equals.ts';
import { isJsonObject } from './own-entry.ts';

/** One difference between two JSON values: the keys and indexes from the root, and the values on both sides. */
export type JsonChange =
  | { readonly op: 'add'; readonly path: JsonPath; readonly to: unknown }
  | { readonly op: 'remove'; readonly path: JsonPath; readonly from: unknown }
  | { readonly op: 'replace'; readonly path: JsonPath; readonly from: unknown; readonly to: unknown };

export type JsonPath = readonly (string | number)[];

/**
 * Returns the differences between two JSON values; none when they are equal. Objects are compared key by key, lists item by item at the
 * same index. For display and tests: it is not a patch. Throws JsonDepthError beyond MAX_JSON_DEPTH.
 */
export function diffJson(from: unknown, to: unknown): JsonChange[] {
  const changes: JsonChange[] = [];
  collect(from, to, [], changes);
  return changes;
}

/** Returns one line per change: `spec.replicas: 1 -> 3`, `metadata.labels[app]: + "web"`, `spec.ports[1]: - {"port":80}`. */
export function formatJsonDiff(changes: readonly JsonChange[]): string[] {
  return changes.map((change) => `${formatJsonPath(change.path)}: ${describe(change)}`);
}

/** Formats a path like a field path; `<root>` for the value itself. Keys that are not plain names are in brackets. */
export function formatJsonPath(path: JsonPath): string {
  if (path.length === 0) return '<root>';
  return path.reduce<string>((parent, step) => {
    if (typeof step === 'number' || !/^[A-Za-z_$][\w$-]*$/.test(step)) return `${parent}[${step}]`;
    return parent === '' ? step : `${parent}.${step}`;
  }, '');
}

function collect(from: unknown, to: unknown, path: JsonPath, changes: JsonChange[]): void {
  if (from === to) return;
  if (path.length >= MAX_JSON_DEPTH) throw new JsonDepthError();
  if (Array.isArray(from) && Array.isArray(to)) {
    for (let i = 0; i < Math.max(from.length, to.length); i++) {
      const at = [...path, i];
      if (i >= to.length) changes.push({ op: 'remove', path: at, from: from[i] });
      else if (i >= from.length) changes.push({ op: 'add', path: at, to: to[i] });
      else collect(from[i], to[i], at, changes);
    }
  } else if (isJsonObject(from) && isJsonObject(to)) {
    for (const key of Object.keys(from)) {
      const at = [...path, key];
      if (Object.hasOwn(to, key)) collect(from[key], to[key], at, changes);
      else changes.push({ op: 'remove', path: at, from: from[key] });
    }
    for (const key of Object.keys(to)) {
      if (!Object.hasOwn(from, key)) changes.push({ op: 'add', path: [...path, key], to: to[key] });
    }
  } else if (!jsonEquals(from, to)) {
    changes.push({ op: 'replace', path, from, to });
  }
}

function describe(change: JsonChange): string {
  switch (change.op) {
    case 'add':
      return `+ ${print(change.to)}`;
    case 'remove':
      return `- ${print(change.from)}`;
    case 'replace':
      return `${print(change.from)} -> ${print(change.to)}`;
  }
}

const print = (value: unknown): string =>
  typeof value === 'bigint'
    ? String(value)
    : (JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part)) ?? 'undefined');
