import { completed, type Steps } from '../steps/index.ts';
import { isList, type JsonObject, jsonKind } from '../json/go-value.ts';
import { assertJsonDepth, cloneJson, isJsonObject, jsonEquals, ownEntry } from '../json/index.ts';
import { byteLength } from '../validation/byte-length.ts';
import { encodeSortedJson } from './encode-sorted-json.ts';
import { addAt, type Container, findPlace, getAt, isContainer, type Place, removeAt, setAt } from './json-pointer.ts';
import { PatchError } from './patch-error.ts';

/** One operation of a JSON patch (RFC 6902). */
export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value?: unknown }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly path: string; readonly from: string };

export interface JsonPatchLimits {
  readonly maxOperations?: number;
  /** The maximum number of bytes of JSON that all `copy` operations together may add. */
  readonly maxCopyBytes?: number;
}

/** The limits of a kube-apiserver. */
const MAX_OPERATIONS = 10_000;
const MAX_COPY_BYTES = 3 * 1024 * 1024;
/**
 * The maximum number of list items that all operations may shift. Inserting thousands of items before a million others shifts them all
 * each time, which blocks the event loop.
 */
const MAX_SHIFTED_ITEMS = 200_000_000;

/**
 * Returns the document after all operations (RFC 6902). The result shares nothing with document or patch, and neither is modified. Throws
 * PatchError: 400 when the patch is malformed, 413 when it is too long, 422 when it does not apply; JsonDepthError when the result is
 * nested too deeply.
 *
 * As upstream: `replace` sets an absent key, `copy` of an absent key writes null, `test` treats an absent key as null, negative indexes
 * count from the end.
 *
 * Differs from upstream: `test` compares values, not their spelling, so 1 equals 1.0, and all nulls are equal, whatever their origin.
 */
export const applyJsonPatch = (document: unknown, patch: unknown, limits: JsonPatchLimits = {}): unknown =>
  completed(applyJsonPatchInSteps(document, patch, limits));

/** Like `applyJsonPatch`, in steps: a copy of a large value takes milliseconds, and there may be many copies. */
export function* applyJsonPatchInSteps(
  document: unknown,
  patch: unknown,
  limits: JsonPatchLimits = {},
): Steps<unknown> {
  const { maxOperations = MAX_OPERATIONS, maxCopyBytes = MAX_COPY_BYTES } = limits;
  const operations = decode(patch);
  if (operations.length > maxOperations) {
    throw new PatchError(
      `The allowed maximum operations in a JSON patch is ${maxOperations}, got ${operations.length}`,
      413,
    );
  }
  const root: unknown = cloneJson(document);
  if (!isContainer(root)) {
    throw new PatchError(
      `json: cannot unmarshal ${jsonKind(document)} into Go value of type jsonpatch.partialDoc`,
      422,
    );
  }
  const target: Target = { root, copied: 0, maxCopyBytes, shifted: 0 };
  for (const operation of operations) {
    const op = ownEntry(operation, 'op');
    const run = typeof op === 'string' ? executors.get(op) : undefined;
    if (!run) throw new PatchError(`Unexpected kind: ${typeof op === 'string' ? op : 'unknown'}`, 422);
    run(target, operation);
    yield;
  }
  // Operations can nest values that are not too deep by themselves.
  assertJsonDepth(target.root);
  return target.root;
}

function decode(patch: unknown): readonly JsonObject[] {
  if (patch === null) return [];
  if (!isList(patch)) throw cannotDecode(patch, 'Patch');
  return patch.map((operation) => {
    if (operation === null) return {};
    if (!isJsonObject(operation)) throw cannotDecode(operation, 'Operation');
    return operation;
  });
}

const cannotDecode = (value: unknown, type: string): PatchError =>
  new PatchError(`json: cannot unmarshal ${jsonKind(value)} into Go value of type jsonpatch.${type}`, 400);

interface Target {
  root: Container;
  /** The bytes that copies have added so far. */
  copied: number;
  readonly maxCopyBytes: number;
  /** The list items shifted so far, by insertions and removals. */
  shifted: number;
}

type Executor = (target: Target, operation: JsonObject) => void;

const executors: ReadonlyMap<string, Executor> = new Map<string, Executor>([
  [
    'add',
    (target, operation) => {
      const path = pointer(operation, 'path', 'add', terse);
      const place = placeOf(target, path, `add operation does not apply: doc is missing path: "${path}"`);
      within(`error in add for path: '${path}'`, () => addTo(target, place, operationValue(operation)));
    },
  ],
  [
    'remove',
    (target, operation) => {
      const path = pointer(operation, 'path', 'remove', terse);
      const place = placeOf(target, path, `remove operation does not apply: doc is missing path: "${path}"`);
      within(`error in remove for path: '${path}'`, () => removeFrom(target, place));
    },
  ],
  [
    'replace',
    (target, operation) => {
      const path = pointer(operation, 'path', 'replace');
      const value = operationValue(operation);
      if (path === '') {
        // The odd ending is upstream's: it formats a nil error.
        if (!isContainer(value)) throw inapplicable('replace operation value must be object or array: %!w(<nil>)');
        target.root = value;
        return;
      }
      const place = placeOf(target, path, `replace operation does not apply: doc is missing path: ${path}`);
      try {
        setAt(place, value);
      } catch {
        throw inapplicable(`replace operation does not apply: doc is missing key: ${path}: missing value`);
      }
    },
  ],
  [
    'move',
    (target, operation) => {
      const from = pointer(operation, 'from', 'move');
      const source = placeOf(target, from, `move operation does not apply: doc is missing from path: ${from}`);
      const value = within(`error in move for path: '${source.key}'`, () => {
        const found = getAt(source);
        removeFrom(target, source);
        return found;
      });
      const path = pointer(operation, 'path', 'move');
      const place = placeOf(target, path, `move operation does not apply: doc is missing destination path: ${path}`);
      within(`error in move for path: '${path}'`, () => addTo(target, place, value));
    },
  ],
  [
    'copy',
    (target, operation) => {
      const from = pointer(operation, 'from', 'copy');
      const source = placeOf(target, from, `copy operation does not apply: doc is missing from path: ${from}`);
      const value = within(`error in copy for from: '${from}'`, () => getAt(source) ?? null);
      const path = pointer(operation, 'path', 'copy', terse);
      const place = placeOf(target, path, `copy operation does not apply: doc is missing destination path: ${path}`);
      countCopy(target, value);
      within('error while adding value during copy', () => addTo(target, place, cloneJson(value)));
    },
  ],
  [
    'test',
    (target, operation) => {
      const path = pointer(operation, 'path', 'test');
      const found = path === '' ? target.root : testedValue(target, path);
      if (!jsonEquals(found, ownEntry(operation, 'value') ?? null)) {
        throw inapplicable(`testing value ${path} failed: test failed`);
      }
    },
  ],
]);

function addTo(target: Target, place: Place, value: unknown): void {
  countShift(target, place);
  addAt(place, value);
}

function removeFrom(target: Target, place: Place): void {
  countShift(target, place);
  removeAt(place);
}

/** Counts the list items that an operation shifts. Differs from upstream, which has no limit. */
function countShift(target: Target, { container, key }: Place): void {
  if (!isList(container) || key === '-') return;
  target.shifted += container.length;
  if (target.shifted > MAX_SHIFTED_ITEMS) {
    throw new PatchError('The operations in a JSON patch move too many items of lists', 413);
  }
}

function testedValue(target: Target, path: string): unknown {
  const place = placeOf(target, path, `test operation does not apply: is missing path: ${path}`);
  return within(`error in test for path: '${path}'`, () => getAt(place) ?? null);
}

const inapplicable = (message: string): PatchError => new PatchError(message, 422);

/** The reason that upstream gives in some operations, whatever is wrong with the field. */
const terse = 'missing value';

const absent = {
  path: 'operation missing path field: missing value',
  from: 'operation, missing from field: missing value',
};

function pointer(operation: JsonObject, field: 'path' | 'from', op: string, why?: string): string {
  const value = ownEntry(operation, field) ?? null;
  if (typeof value === 'string') return value;
  const reason =
    why ?? (value === null ? absent[field] : `json: cannot unmarshal ${jsonKind(value)} into Go value of type string`);
  throw inapplicable(`${op} operation failed to decode ${field}: ${reason}`);
}

const operationValue = (operation: JsonObject): unknown => cloneJson(ownEntry(operation, 'value') ?? null);

function placeOf(target: Target, path: string, complaint: string): Place {
  const place = findPlace(target.root, path);
  if (!place) throw inapplicable(`${complaint}: missing value`);
  return place;
}

/** Calls `step`. Prefixes the message of a PatchError that it throws with `where`, except for code 413. */
function within<T>(where: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw error instanceof PatchError && error.code !== 413 ? inapplicable(`${where}: ${error.message}`) : error;
  }
}

/** As upstream, a null adds no bytes. */
function countCopy(target: Target, value: unknown): void {
  assertJsonDepth(value);
  if (value !== null) target.copied += byteLength(encodeSortedJson(value));
  if (target.copied > target.maxCopyBytes) {
    throw inapplicable(
      `Unable to complete the copy, the accumulated size increase of copy is ${target.copied}, exceeding the limit ${target.maxCopyBytes}`,
    );
  }
}
