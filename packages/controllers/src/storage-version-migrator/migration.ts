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

/** It has come to its end, well or not. */
export const isOver = ({ status }: StorageVersionMigration): boolean =>
  isStatusConditionTrue(status?.conditions, 'Succeeded') || isStatusConditionTrue(status?.conditions, 'Failed');

/** The migration with that condition true; as it is when it has one of the type already. */
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

/** What is to be done about the migrations of one resource. */
export interface Schedule {
  /** They are over, but still count as running. */
  readonly finished: readonly StorageVersionMigration[];
  /** May begin: none runs. */
  readonly next?: StorageVersionMigration;
}

/** One after the other: the oldest that waits, when none is under way. */
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

/** Negative when the first is older, positive when it is newer. Throws when they are none that can be compared. */
export function compareResourceVersions(a: string, b: string): number {
  for (const version of [a, b]) {
    if (!/^[1-9]\d*$/.test(version)) throw new Error(`resource version is not well formed: ${version}`);
  }
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}
