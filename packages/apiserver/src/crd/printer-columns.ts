import { type Cell, type Column, humanDuration, type TablePrinter } from '@coxswain/api';
import type { CustomResourceColumnDefinition } from '@coxswain/api/apiextensions/v1';
import { dateFromTime, type KubernetesObject } from '@coxswain/apimachinery';
import { compileJsonPath, type JsonPath, printJsonPathResult } from './json-path/index.ts';

const nameColumn: Column = { name: 'Name', type: 'string', format: 'name', priority: 0 };
/** The default column of kinds without columns. */
const ageColumn: CustomResourceColumnDefinition = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
};

type Print = (value: unknown, now: Date) => Cell;

const printers: Readonly<Record<string, Print>> = {
  string: printJsonPathResult,
  integer: (value) =>
    typeof value === 'number' ? Math.trunc(value) : typeof value === 'bigint' ? Number(value) : null,
  number: (value) => (typeof value === 'number' ? value : typeof value === 'bigint' ? Number(value) : null),
  boolean: (value) => (typeof value === 'boolean' ? value : null),
  date: (value, now) => (typeof value === 'string' ? ageOf(value, now) : null),
};

const isColumnType = (type: string): type is Column['type'] => Object.hasOwn(printers, type);

/** The table of a version's objects: their names, and the columns of the definition. */
export function printerColumns(
  definitions: readonly CustomResourceColumnDefinition[] | undefined,
): TablePrinter<KubernetesObject> {
  const columns: Column[] = [nameColumn];
  const cells: ((object: KubernetesObject, now: Date) => Cell)[] = [];
  for (const definition of definitions?.length ? definitions : [ageColumn]) {
    const { name, type, format, description, priority = 0, jsonPath } = definition;
    const find = pathOf(jsonPath);
    // As upstream: columns from the first invalid one on are omitted.
    if (!find || !isColumnType(type)) break;
    const print = printers[type]!;
    columns.push({
      name,
      type,
      ...(format && { format }),
      description:
        definition === ageColumn
          ? ''
          : description || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
      priority,
    });
    cells.push((object, now) => {
      const value = firstOf(find, object);
      return value === undefined ? null : print(value, now);
    });
  }
  return {
    columns,
    row: (object, { now }) => [object.metadata?.name ?? '', ...cells.map((cell) => cell(object, now))],
  };
}

function pathOf(jsonPath: string): JsonPath | undefined {
  try {
    return compileJsonPath(jsonPath);
  } catch {
    return undefined;
  }
}

/** The first value at a path. Undefined when the path does not apply to the object. */
function firstOf(find: JsonPath, object: KubernetesObject): unknown {
  try {
    return find(object)[0];
  } catch {
    return undefined;
  }
}

function ageOf(text: string, now: Date): string {
  if (text === '') return '<unknown>';
  try {
    return humanDuration(now.getTime() - dateFromTime(text).getTime());
  } catch {
    return '<invalid>';
  }
}
