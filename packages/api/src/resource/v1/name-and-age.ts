import type { KubernetesObject } from '@coxswain/apimachinery';
import { translateTimestampSince } from '../../strategy/print.ts';
import { columns, type TablePrinter } from '../../strategy/table.ts';

/** The table of kinds that are shown with name and age only. */
export const nameAndAge: TablePrinter<KubernetesObject> = {
  columns: columns('Name', 'Age'),
  row: ({ metadata }, context) => [metadata?.name ?? '', translateTimestampSince(metadata?.creationTimestamp, context)],
};
