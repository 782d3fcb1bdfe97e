import type { NamespaceCondition } from '@coxswain/api/core/v1';
import { GroupDiscoveryFailedError } from '@coxswain/client';
import type { Content } from './namespace-content.ts';

/** The result of one attempt to delete a namespace's content. */
export interface DeletionReport {
  /** The resources with remaining objects. Absent when only pods were deleted so far, because some remain. */
  readonly remaining?: readonly Pick<Content, 'resource' | 'remaining' | 'finalizers'>[];
  readonly discoveryFailure?: Error;
  readonly contentFailures: readonly Error[];
}

type Finding = Pick<NamespaceCondition, 'status' | 'reason' | 'message'>;

/** All conditions of a namespace deletion in order, with the reason and message for status False. */
const wellConditions = {
  NamespaceDeletionDiscoveryFailure: ['ResourcesDiscovered', 'All resources successfully discovered'],
  NamespaceDeletionGroupVersionParsingFailure: ['ParsedGroupVersions', 'All legacy kube types successfully parsed'],
  NamespaceDeletionContentFailure: [
    'ContentDeleted',
    'All content successfully deleted, may be waiting on finalization',
  ],
  NamespaceContentRemaining: ['ContentRemoved', 'All content successfully removed'],
  NamespaceFinalizersRemaining: ['ContentHasNoFinalizers', 'All content-preserving finalizers finished'],
} as const;
type ConditionType = keyof typeof wellConditions;

/** Returns the conditions updated by the report, or the same array when nothing changes. */
export function withReport(
  conditions: readonly NamespaceCondition[],
  report: DeletionReport,
  lastTransitionTime: string,
): readonly NamespaceCondition[] {
  const findings = findingsOf(report);
  const next = [...conditions];
  let isChanged = false;
  for (const [type, [reason, message]] of Object.entries(wellConditions)) {
    const finding: Finding = findings.get(type) ?? { status: 'False', reason, message };
    const index = next.findIndex((condition) => condition.type === type);
    const known = next[index];
    if (!known) next.push({ type, lastTransitionTime, ...finding });
    else if (known.status !== finding.status) next[index] = { ...known, ...finding, lastTransitionTime };
    else if (known.reason !== finding.reason || known.message !== finding.message)
      next[index] = { ...known, ...finding };
    else continue;
    isChanged = true;
  }
  return isChanged ? next : conditions;
}

function findingsOf({ remaining = [], discoveryFailure, contentFailures }: DeletionReport): Map<string, Finding> {
  const findings = new Map<string, Finding>();
  const find = (type: ConditionType, reason: string, message: string): unknown =>
    findings.set(type, { status: 'True', reason, message });
  if (discoveryFailure)
    find('NamespaceDeletionDiscoveryFailure', 'DiscoveryFailed', discoveryMessage(discoveryFailure));
  if (contentFailures.length > 0) {
    const messages = contentFailures.map(({ message }) => message).sort();
    const message = `Failed to delete all resource types, ${messages.length} remaining: ${messages.join(', ')}`;
    find('NamespaceDeletionContentFailure', 'ContentDeletionFailed', message);
  }
  if (remaining.length > 0) {
    const each = remaining
      .map(({ resource, remaining: count }) => `${resource.resource}.${resource.group} has ${count} resource instances`)
      .sort();
    find('NamespaceContentRemaining', 'SomeResourcesRemain', `Some resources are remaining: ${each.join(', ')}`);
  }
  const finalizers = totals(remaining.map((content) => content.finalizers));
  if (finalizers.size > 0) {
    const each = [...finalizers].map(([finalizer, count]) => `${finalizer} in ${count} resource instances`).sort();
    const message = `Some content in the namespace has finalizers remaining: ${each.join(', ')}`;
    find('NamespaceFinalizersRemaining', 'SomeFinalizersRemain', message);
  }
  return findings;
}

const discoveryMessage = (failure: Error): string =>
  failure instanceof GroupDiscoveryFailedError
    ? `Discovery failed for some groups, ${failure.groupVersions.size} failing: ${failure.message}`
    : failure.message;

function totals(all: readonly ReadonlyMap<string, number>[]): Map<string, number> {
  const sum = new Map<string, number>();
  for (const [name, count] of all.flatMap((counts) => [...counts])) sum.set(name, (sum.get(name) ?? 0) + count);
  return sum;
}
