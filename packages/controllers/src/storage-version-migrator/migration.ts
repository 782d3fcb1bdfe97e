import type { StorageVersionMigration } from '@coxswain/api/storagemigration/v1beta1';
import { type Condition, isStatusConditionTrue } from '@coxswain/apimachinery/meta';
import { timeFromDate } from '@coxswain/apimachinery/time';

export type MigrationCondition = 'Running' | 'Succeeded' | 'Failed';

export const reasons = {
  succeeded: 'StorageVersionMigrationSucceeded',
  failed: 'StorageVersionMigrationFailed',
} as const;

export const isRunning = ({ status }: StorageVersionMigration): boolean =>
  isStatusConditionTrue(status?.conditions, 'Running');

/** Whether the migration has succeeded or failed. */
export const isOver = ({ status }: StorageVersionMigration): boolean =>
  isStatusConditionTrue(status?.conditions, 'Succeeded') || isStatusConditionTrue(status?.conditions, 'Failed');

/** Returns the migration with this condition set to True. Returns the same object if it has a condition of that type. */
export function withCondition(
  migration: StorageVersionMigration,
  type: MigrationCondition,
  { reason, message, nowMs }: { readonly reason: string; readonly message: string; readonly nowMs: number },
): StorageVersionMigration {
  const conditions = migration.status?.conditions ?? [];
  if (conditions.some((condition) => condition.type === type)) return migration;
  const lastTransitionTime = timeFromDate(new Date(nowMs));
  const condition: Condition = { type, status: 'True', lastTransitionTime, reason, message };
  return { ...migration, status: { ...migration.status, conditions: [...conditions, condition] } };
}

/** The next steps for the migrations of one resource. */
export interface Schedule {
  /** Migrations that are finished but still have the condition Running. */
  readonly finished: readonly StorageVersionMigration[];
  /** The migration to start, if none is running. */
  readonly next?: StorageVersionMigration;
}

/** Schedules one migration after the other, the oldest first. */
export function schedule(migrations: readonly StorageVersionMigration[]): Schedule {
  const finished = migrations.filter((migration) => isRunning(migration) && isOver(migration));
  if (migrations.some((migration) => isRunning(migration) && !isOver(migration))) return { finished };
  const [next] = migrations.filter((migration) => !isRunning(migration) && !isOver(migration)).sort(byAge);
  return { finished, ...(next && { next }) };
}

function byAge({ metadata: a }: StorageVersionMigration, { metadata: b }: StorageVersionMigration): number {
  const [ours, theirs] = [Date.parse(a.creationTimestamp ?? ''), Date.parse(b.creationTimestamp ?? '')];
  return ours - theirs || ((a.name ?? '') < (b.name ?? '') ? -1 : 1);
}

/** Compares resourceVersions: negative when the first is older. Throws when one is malformed. */
export function compareResourceVersions(a: string, b: string): number {
  for (const version of [a, b]) {
    if (!/^[1-9]\d*$/.test(version)) throw new Error(`resource version is not well formed: ${version}`);
  }
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}
