import type { KubernetesObject } from '@coxswain/apimachinery';

/** A column as `kubectl get` shows it. */
export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  /** `name` marks the column that identifies the object; custom resources may have others. */
  readonly format?: string;
  readonly description?: string;
  /** 0: always shown; higher: only with `-o wide`. */
  readonly priority: number;
}

export type Cell = string | number | boolean | null;

export interface PrintContext {
  /** The time from which ages are computed. */
  readonly now: Date;
}

export interface TablePrinter<T> {
  readonly columns: readonly Column[];
  /** Returns one cell per column, wide ones included. */
  readonly row: (object: T, context: PrintContext) => Cell[];
  /** Sorts the rows of a list; absent: the list's own order. */
  readonly order?: (a: T, b: T) => number;
}

/** Parses a short notation for columns: `'Name'`, `'Ready'`, `'Restarts:integer'`, `'IP (wide)'`. */
export function columns(...texts: readonly string[]): Column[] {
  return texts.map((text) => {
    const wide = text.endsWith(' (wide)');
    const [name, type = 'string'] = (wide ? text.slice(0, -' (wide)'.length) : text).split(':') as [
      string,
      Column['type']?,
    ];
    return { name, type, ...(name === 'Name' && { format: 'name' as const }), priority: wide ? 1 : 0 };
  });
}

/** The table of kinds that have no printer upstream. */
export const defaultTable: TablePrinter<KubernetesObject> = {
  columns: columns('Name', 'Created At:date'),
  row: ({ metadata }) => [metadata?.name ?? '', metadata?.creationTimestamp ?? null],
};
