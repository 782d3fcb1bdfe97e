import type { KubernetesObject } from '@coxswain/apimachinery';
import { translateTimestampSince } from '../../strategy/print.ts';
import { columns, type TablePrinter } from '../../strategy/table.ts';

/** For kinds of which nothing else is shown. */
export const nameAndAge: TablePrinter<KubernetesObject> = {
  columns: columns('Name', 'Age'),
  row: ({ metadata }, context) => [metadata?.name ?? '', translateTimestampSince(metadata?.creationTimestamp, context)],
};
