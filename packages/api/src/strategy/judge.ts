import type { ErrorList, KubernetesObject } from '@coxswain/apimachinery';
import { prepareForCreate, prepareForSubresourceUpdate, prepareForUpdate } from './prepare.ts';
import type { Strategy, StrategyContext } from './strategy.ts';
import { validateCreate, validateUpdate } from './validate.ts';

/** The outcome of a write, as far as the object alone decides it. */
export interface Verdict<T> {
  /** The object as it would be stored. */
  readonly object: T;
  /** Why the write is refused; empty when it is accepted. */
  readonly errors: ErrorList;
  /** Without repetitions, as the server sends them. */
  readonly warnings: readonly string[];
}

/**
 * Runs all steps of a create, for callers without admission or allocation between them. `given` is in its hub version,
 * with defaults set; it may be modified.
 */
export function judgeCreate<T extends KubernetesObject>(
  strategy: Strategy<T>,
  given: T,
  outer: StrategyContext,
): Verdict<T> {
  const { context, warnings } = withWarnings(outer);
  const problems = strategy.begin?.(given, undefined, context) ?? [];
  if (problems.length > 0) return { object: given, errors: problems, warnings: [] };
  const object = prepareForCreate(strategy, given, context);
  const errors = validateCreate(strategy, object, context);
  if (errors.length > 0) return { object, errors, warnings: [...warnings] };
  strategy.canonicalize?.(object);
  for (const warning of strategy.warningsOnCreate?.(object, context) ?? []) warnings.add(warning);
  return { object, errors, warnings: [...warnings] };
}

/** Runs all steps of an update, of the whole object or of one subresource. `old` is not modified. */
export function judgeUpdate<T extends KubernetesObject>(
  strategy: Strategy<T>,
  given: T,
  old: T,
  outer: StrategyContext,
  subresource?: string,
): Verdict<T> {
  const { context, warnings } = withWarnings(outer);
  const problems = subresource ? [] : (strategy.begin?.(given, old, context) ?? []);
  if (problems.length > 0) return { object: given, errors: problems, warnings: [] };
  const object = subresource
    ? prepareForSubresourceUpdate(strategy, subresource, given, old, context)
    : prepareForUpdate(strategy, given, old, context);
  const errors = validateUpdate(strategy, object, old, context, subresource);
  if (errors.length > 0) return { object, errors, warnings: [...warnings] };
  strategy.canonicalize?.(object);
  const hooks = subresource ? strategy.subresources?.[subresource] : strategy;
  for (const warning of hooks?.warningsOnUpdate?.(object, old, context) ?? []) warnings.add(warning);
  return { object, errors, warnings: [...warnings] };
}

/** Returns a context whose `warn` both records the warning and forwards it to the outer context. */
function withWarnings(outer: StrategyContext): { context: StrategyContext; warnings: Set<string> } {
  const warnings = new Set<string>();
  const warn = (warning: string): void => {
    warnings.add(warning);
    outer.warn?.(warning);
  };
  return { context: { ...outer, warn }, warnings };
}
