import type { Column, TablePrinter } from '@coxswain/api';
import type {
  GroupVersionKind,
  KubernetesObject,
  ListMeta,
  Table,
  TableColumnDefinition,
  TableRow,
} from '@coxswain/apimachinery';
import { columnText } from './column-texts.ts';
import type { Representation } from './representation.ts';
import type { Presenter } from './scope.ts';

/** Returns a Table of the objects, with the columns of their kind. Only the first event of a watch has `headers`. */
export function asTable(
  scope: Presenter,
  objects: readonly KubernetesObject[],
  metadata: ListMeta,
  { includeObject, targetVersion }: Pick<Representation, 'includeObject' | 'targetVersion'>,
  headers = true,
): Table | Record<string, unknown> {
  const printer = scope.table ?? plain;
  const context = { now: scope.services.now() };
  const ordered = printer.order ? [...objects].sort(printer.order) : objects;
  return {
    kind: 'Table',
    apiVersion: targetVersion,
    metadata,
    columnDefinitions: headers ? printer.columns.map((column) => definition(column, scope.kind)) : null,
    rows: ordered.map((object): TableRow => {
      const cells = printer.row(object, context);
      if (includeObject === 'None') return { cells, object: null };
      return {
        cells,
        object: includeObject === 'Object' ? scope.toVersion({ ...object }) : partialMetadata(object, targetVersion),
      };
    }),
  };
}

/** Returns the PartialObjectMetadata of an object. */
export const partialMetadata = ({ metadata = {} }: KubernetesObject, apiVersion: string): KubernetesObject => ({
  kind: 'PartialObjectMetadata',
  apiVersion,
  metadata,
});

const plain: TablePrinter<KubernetesObject> = {
  columns: [
    { name: 'Name', type: 'string', format: 'name', priority: 0 },
    { name: 'Created At', type: 'date', priority: 0 },
  ],
  row: ({ metadata }) => [metadata?.name ?? '', metadata?.creationTimestamp ?? null],
};

const definition = (
  { name, type, format = '', description, priority }: Column,
  kind: GroupVersionKind,
): TableColumnDefinition => ({
  name,
  type,
  format,
  description: description || columnText(kind, name),
  priority,
});
