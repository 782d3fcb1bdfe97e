import { isList, type JsonObject, parseIndex } from '../json/go-value.ts';
import { isJsonObject, ownEntry, setOwnEntry } from '../json/index.ts';
import { PatchError } from './patch-error.ts';

/** What a pointer can lead into. */
export type Container = unknown[] | JsonObject;

/** A container and the last step of a pointer: where a value stands, or would stand. */
export interface Place {
  readonly container: Container;
  readonly key: string;
}

/**
 * The steps of a JSON pointer, unescaped; nothing for the empty pointer and for one without a slash.
 * As upstream does it, whatever stands before the first slash does not count.
 */
export function parseJsonPointer(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replace(/~[01]/g, (escaped) => (escaped === '~1' ? '/' : '~')));
}

/** A pointer with these steps. */
export const formatJsonPointer = (steps: readonly string[]): string =>
  steps.map((step) => `/${step.replace(/~/g, '~0').replace(/\//g, '~1')}`).join('');

/** Where the pointer leads, when everything before its last step exists. */
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

/** The value there; undefined for an absent key. Throws PatchError when a list has no such index. */
export function getAt({ container, key }: Place): unknown {
  return isList(container) ? container[resolveIndex(key, container.length)] : ownEntry(container, key);
}

/** Sets a key; inserts before an index, `-` and -1 being the end. Throws PatchError when a list has no such index. */
export function addAt({ container, key }: Place, value: unknown): void {
  if (!isList(container)) {
    setOwnEntry(container, key, value);
    return;
  }
  const index = key === '-' ? container.length : resolveIndex(key, container.length + 1, properIndex(key));
  container.splice(index, 0, value);
}

/** Puts another value in the place of the one there; sets an absent key. Throws PatchError when a list has no such index. */
export function setAt({ container, key }: Place, value: unknown): void {
  if (isList(container)) container[resolveIndex(key, container.length)] = value;
  else setOwnEntry(container, key, value);
}

/** Throws PatchError when there is nothing to remove. */
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

/** The index among `size` places, counted from the end when negative: not in the RFC, but upstream's way. */
function resolveIndex(key: string, size: number, complaint = ''): number {
  const index = parseIndex(key);
  if (typeof index === 'string') throw new PatchError(complaint + index, 422);
  if (index >= size || index < -size) {
    throw new PatchError(`Unable to access invalid index: ${index}: invalid index referenced`, 422);
  }
  return Number(index) + (index < 0 ? size : 0);
}
