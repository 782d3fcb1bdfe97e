import { encodeSortedJson, formatValue, isJsonObject, ownEntry } from '@coxswain/apimachinery';
import { type JsonPathNode, parseJsonPath, type SliceNode } from './parse-json-path.ts';

/** Returns the values at a path, which may be none. Throws an Error when the path does not apply to the value. */
export type JsonPath = (value: unknown) => unknown[];

/**
 * Compiles a path in kubectl's dialect of JSONPath, as in printer columns: `.spec.replicas`,
 * `.status.conditions[?(@.type=="Ready")].status`. Missing fields have no values. Throws an Error when the path is
 * invalid.
 */
export function compileJsonPath(path: string): JsonPath {
  return compileSteps(parseJsonPath(path));
}

/** Formats a value: objects and lists as JSON, anything else as Go prints it. */
export function printJsonPathResult(value: unknown): string {
  if (value === null || value === undefined) return '<no value>';
  return typeof value === 'object' ? encodeSortedJson(value) : formatValue(value);
}

type Step = (values: readonly unknown[]) => unknown[];

function compileSteps(nodes: readonly JsonPathNode[]): JsonPath {
  const steps = nodes.map(compileStep);
  return (value) => {
    let values: unknown[] = [value];
    for (const step of steps) values = step(values);
    return values;
  };
}

function compileStep(node: JsonPathNode): Step {
  switch (node.type) {
    case 'field':
      return (values) =>
        values.flatMap((value) => {
          const found = isJsonObject(value) ? ownEntry(value, node.name) : undefined;
          return found === undefined ? [] : [found];
        });
    case 'literal':
      return (values) => values.map(() => node.value);
    case 'text':
      return () => [node.value];
    case 'wildcard':
      return (values) => values.flatMap(childrenOf);
    case 'recursive':
      return (values) => values.flatMap(descendantsOf);
    case 'slice':
      return (values) => values.flatMap((value) => slice(value, node));
    case 'union': {
      const paths = node.paths.map(compileSteps);
      return (values) => paths.flatMap((path) => values.flatMap(path));
    }
    case 'filter':
      return compileFilter(node);
  }
}

function childrenOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return isJsonObject(value) ? Object.values(value) : [];
}

/** The value and all its non-empty descendants, parents before children. */
function descendantsOf(root: unknown): unknown[] {
  const found: unknown[] = [];
  const waiting = [root];
  while (waiting.length > 0) {
    const value = waiting.pop();
    const children = childrenOf(value);
    if (children.length > 0 || (typeof value === 'string' && value !== '')) found.push(value);
    for (let i = children.length - 1; i >= 0; i--) waiting.push(children[i]);
  }
  return found;
}

function slice(value: unknown, { start: from = 0, end: until, step, single }: SliceNode): unknown[] {
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value)) throw new Error('value is not array or slice');
  const { length } = value;
  const start = from < 0 ? from + length : from;
  const wanted = until ?? (single ? from + 1 : length);
  const end = wanted < 0 || (single && wanted === 0) ? wanted + length : wanted;
  if (start === end) return [];
  for (const [index, isOut] of [
    [start, start >= length || start < 0],
    [end - 1, end > length || end < 0],
  ] as const)
    if (isOut) throw new Error(`array index out of bounds: index ${index}, length ${length}`);
  if (start > end) throw new Error(`starting index ${start} is greater than ending index ${end}`);
  if (step <= 0) throw new Error('step must be > 0');
  const found: unknown[] = [];
  for (let i = start; i < end; i += step) found.push(value[i]);
  return found;
}

type Comparison = (left: unknown, right: unknown) => boolean;

const comparisons: Readonly<Record<string, Comparison>> = {
  '==': (left, right) => left === right,
  '!=': (left, right) => left !== right,
  '<': (left, right) => isLess(left, right),
  '<=': (left, right) => left === right || isLess(left, right),
  '>': (left, right) => left !== right && !isLess(left, right),
  '>=': (left, right) => !isLess(left, right),
};

function isLess(left: unknown, right: unknown): boolean {
  if (typeof left === 'boolean' || left === null) throw new Error('invalid type for comparison');
  return (left as string | number) < (right as string | number);
}

function compileFilter({ left, operator, right }: Extract<JsonPathNode, { type: 'filter' }>): Step {
  const findLeft = compileSteps(left);
  const findRight = compileSteps(right);
  const passes = (item: unknown): boolean => {
    if (operator === 'exists') return existing(findLeft, item).length > 0;
    const [lefts, rights] = [findLeft(item), findRight(item)];
    if (lefts.length === 0 || rights.length === 0) return false;
    if (lefts.length > 1 || rights.length > 1) throw new Error('can only compare one element at a time');
    const compare = comparisons[operator];
    if (!compare) throw new Error(`unrecognized filter operator ${operator}`);
    const [[first], [second]] = [lefts, rights];
    if (typeof first === 'object' || typeof second === 'object') throw new Error('invalid type for comparison');
    if (typeof first !== typeof second) throw new Error('incompatible types for comparison');
    return compare(first, second);
  };
  return (values) =>
    values.flatMap((value) => {
      if (!Array.isArray(value)) throw new Error('value is not array or slice and cannot be filtered');
      return value.filter(passes);
    });
}

/** The values at a path; none when it fails. */
function existing(find: JsonPath, item: unknown): unknown[] {
  try {
    return find(item);
  } catch {
    return [];
  }
}
