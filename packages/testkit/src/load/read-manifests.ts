import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { writeJson } from '@coxswain/apimachinery/codec/json';
import { parseYaml, splitYamlDocuments } from '@coxswain/apimachinery/codec/yaml';
import type { KubernetesObject } from '@coxswain/apimachinery/meta';
import type { ObjectReference } from '@coxswain/client';

/** An object with apiVersion, kind and name. */
export type Manifest = KubernetesObject & ObjectReference;

/**
 * YAML or JSON text with one or more documents; an object; or an array of objects. List objects stand for their items.
 */
export type Manifests = string | object | readonly object[];

/** Returns the objects. Throws an Error with the invalid object when one has no apiVersion, kind or name. */
export function readManifests(manifests: Manifests): Manifest[] {
  if (typeof manifests === 'string')
    return [...splitYamlDocuments(manifests)].flatMap((text) => fromValue(yamlOf(text)));
  return Array.isArray(manifests) ? manifests.flatMap(fromValue) : fromValue(manifests);
}

/**
 * Returns the contents of a file, of the manifests in a directory, or of the files whose names match a pattern with
 * `*`.
 */
export async function readManifestFiles(path: string): Promise<string[]> {
  const names = await manifestFiles(path);
  if (names.length === 0) throw new Error(`there are no manifests at ${path}`);
  return Promise.all(names.map((name) => readFile(name, 'utf8')));
}

async function manifestFiles(path: string): Promise<string[]> {
  const pattern = basename(path);
  if (pattern.includes('*')) {
    const expression = new RegExp(`^${pattern.split('*').map(escaped).join('.*')}$`);
    return filesIn(dirname(path), (name) => expression.test(name));
  }
  if ((await stat(path)).isDirectory()) return filesIn(path, (name) => /\.(?:ya?ml|json)$/.test(name));
  return [path];
}

async function filesIn(directory: string, isWanted: (name: string) => boolean): Promise<string[]> {
  const names = (await readdir(directory)).filter(isWanted).sort();
  return names.map((name) => join(directory, name));
}

const escaped = (text: string): string => text.replace(/[\\^$.|?+()[\]{}]/g, '\\$&');

const yamlOf = (text: string): unknown => parseYaml(text).value ?? undefined;

function fromValue(value: unknown): Manifest[] {
  if (value === undefined) return [];
  if (isList(value)) return value.items.flatMap(fromValue);
  if (isManifest(value)) return [value];
  throw new Error(`a manifest needs apiVersion, kind and metadata.name: ${writeJson(value).slice(0, 200)}`);
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const isList = (value: unknown): value is { readonly items: readonly unknown[] } =>
  isRecord(value) && typeof value.kind === 'string' && value.kind.endsWith('List') && Array.isArray(value.items);

const isManifest = (value: unknown): value is Manifest =>
  isRecord(value) &&
  typeof value.apiVersion === 'string' &&
  typeof value.kind === 'string' &&
  isRecord(value.metadata) &&
  typeof value.metadata.name === 'string';
