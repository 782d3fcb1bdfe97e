import { type ApiError, newApplyConflict } from '../errors/index.ts';
import { compareStrings } from '../json/go-value.ts';
import { quote } from '../strconv/quote.ts';
import type { FieldSet } from './field-set.ts';
import type { FieldsOwner } from './managers.ts';
import { type FieldPath, printPath } from './path-element.ts';

/** A field that an apply wants to change and another manager owns. */
export interface Conflict {
  readonly owner: FieldsOwner;
  readonly path: FieldPath;
}

/** Thrown during an apply that would change fields owned by other managers. Internal: callers get the ApiError made by `toApiError`. */
export class ConflictsError extends Error {
  override readonly name = 'ConflictsError';
  readonly conflicts: readonly Conflict[];

  constructor(conflicts: readonly Conflict[]) {
    super(conflictMessage(conflicts));
    this.conflicts = conflicts;
  }

  /** Creates the error from the conflicting fields of each owner. Owners are sorted by identity; upstream has no order. */
  static of(taken: ReadonlyMap<string, { owner: FieldsOwner; set: FieldSet }>): ConflictsError {
    const sorted = [...taken].sort(([a], [b]) => compareStrings(a, b));
    return new ConflictsError(
      sorted.flatMap(([, { owner, set }]) => Array.from(set.paths(), (path) => ({ owner, path }))),
    );
  }

  /** Returns the response to the client: 409 Conflict with one cause per field. */
  toApiError(): ApiError {
    const causes = this.conflicts.map(({ owner, path }) => ({
      reason: 'FieldManagerConflict' as const,
      message: `conflict with ${printOwner(owner)}`,
      field: printPath(path),
    }));
    return newApplyConflict(causes, this.message);
  }
}

function conflictMessage(conflicts: readonly Conflict[]): string {
  const [first, ...more] = conflicts;
  if (first !== undefined && more.length === 0)
    return `Apply failed with 1 conflict: conflict with ${printOwner(first.owner)}: ${printPath(first.path)}`;
  const lines: string[] = [];
  let owner: FieldsOwner | undefined;
  for (const conflict of conflicts) {
    if (conflict.owner !== owner) lines.push(`conflicts with ${printOwner(conflict.owner)}:`);
    owner = conflict.owner;
    lines.push(`- ${printPath(conflict.path)}`);
  }
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`;
}

function printOwner({ manager, operation, apiVersion, subresource }: FieldsOwner): string {
  const through = subresource === '' ? '' : ` with subresource ${quote(subresource)}`;
  return `${quote(manager)}${through}${operation === 'Update' ? ` using ${apiVersion}` : ''}`;
}
