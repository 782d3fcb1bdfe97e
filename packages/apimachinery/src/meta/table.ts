import type { ConditionStatus } from './condition.ts';
import type { ListMeta } from './list-meta.ts';
import type { TypeMeta } from './type-meta.ts';

/** Objects as rows for display. The server chooses the columns. */
export interface Table extends TypeMeta {
  metadata?: ListMeta;
  columnDefinitions: TableColumnDefinition[];
  rows: TableRow[];
}

export interface TableColumnDefinition {
  name: string;
  /** An OpenAPI type: `string`, `integer`, `number`, `boolean`, `date`. */
  type: string;
  /** An OpenAPI format; `name` marks the column that holds the object's name. */
  format: string;
  description: string;
  /** 0: always shown; above: in wide output only. */
  priority: number;
}

export interface TableRow {
  cells: unknown[];
  conditions?: TableRowCondition[];
  /** The part of the object that `includeObject` requested. */
  object?: unknown;
}

export interface TableRowCondition {
  type: 'Completed' | (string & {});
  status: ConditionStatus;
  reason?: string;
  message?: string;
}
