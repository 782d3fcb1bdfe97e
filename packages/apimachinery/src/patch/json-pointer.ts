import { isList, type JsonObject, parseIndex } from '../json/go-value.ts';
import { isJsonObject, ownEntry, setOwnEntry } from '../json/index.ts';
import { PatchError } from './patch-error.ts';

/** A value that a pointer can lead into. */
export type Container = unknown[] | JsonObject;

/** A container and the last step of a pointer: the place of a value, which may be absent. */
export interface Place {
  readonly container: Container;
  readonly key: string;
}

/**
 * Returns the steps of a JSON pointer, unescaped; none for the empty pointer and for one without a slash. As upstream, text before the
 * first slash is ignored.
 */
export function parseJsonPointer(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replace(/~[01]/g, (escaped) => (escaped === '~1' ? '/' : '~')));
}

/** Returns a pointer with these steps. */
export const formatJsonPointer = (steps: readonly string[]): string =>
  steps.map((step) => `/${step.replace(/~/g, '~0').replace(/\//g, '~1')}`).join('');

/** Returns the place that the pointer leads to; undefined when a value before the last step does not exist. */
export function findPlace(root: Container, pointer: string): Place | undefined {
  const steps = parseJsonPointer(pointer);
  const key = steps.pop();
  if (key === undefined) return undefined;
  let container: Container = root;
  for (const step of steps) {
    const next = child(container, step);
    if (!isContainer(next)) return undefined;
    container = next;
  }
  return { container, key };
}

export const isContainer = (value: unknown): value is Container => typeof value === 'object' && value !== null;

function child(container: Container, step: string): unknown {
  if (isJsonObject(container)) return ownEntry(container, step);
  const index = parseIndex(step);
  return typeof index === 'string' ? undefined : container.at(Number(index));
}

/** Returns the value at a place; undefined for an absent key. Throws PatchError when a list has no such index. */
export function getAt({ container, key }: Place): unknown {
  return isList(container) ? container[resolveIndex(key, container.length)] : ownEntry(container, key);
}

/** Sets a key, or inserts before an index; `-` and -1 are the end of a list. Throws PatchError when a list has no such index. */
export function addAt({ container, key }: Place, value: unknown): void {
  if (!isList(container)) {
    setOwnEntry(container, key, value);
    return;
  }
  const index = key === '-' ? container.length : resolveIndex(key, container.length + 1, properIndex(key));
  container.splice(index, 0, value);
}

/** Replaces the value at a place, or sets an absent key. Throws PatchError when a list has no such index. */
export function setAt({ container, key }: Place, value: unknown): void {
  if (isList(container)) container[resolveIndex(key, container.length)] = value;
  else setOwnEntry(container, key, value);
}

/** Removes the value at a place. Throws PatchError when there is none. */
export function removeAt({ container, key }: Place): void {
  if (isList(container)) {
    container.splice(resolveIndex(key, container.length), 1);
  } else if (ownEntry(container, key) === undefined) {
    throw new PatchError(`Unable to remove nonexistent key: ${key}: missing value`, 422);
  } else {
    delete container[key];
  }
}

const properIndex = (key: string): string => `value was not a proper array index: '${key}': `;

/** Returns the index in a list of `size` items. As upstream, and unlike the RFC, a negative index counts from the end. */
function resolveIndex(key: string, size: number, complaint = ''): number {
  const index = parseIndex(key);
  if (typeof index === 'string') throw new PatchError(complaint + index, 422);
  if (index >= size || index < -size) {
    throw new PatchError(`Unable to access invalid index: ${index}: invalid index referenced`, 422);
  }
  return Number(index) + (index < 0 ? size : 0);
}
