import type { ErrorList, KubernetesObject } from '@coxswain/apimachinery';
import { prepareForCreate, prepareForSubresourceUpdate, prepareForUpdate } from './prepare.ts';
import type { Strategy, StrategyContext } from './strategy.ts';
import { validateCreate, validateUpdate } from './validate.ts';

/** What becomes of a write, as far as the object alone decides it. */
export interface Verdict<T> {
  /** As it would be stored. */
  readonly object: T;
  /** Why it would not be. */
  readonly errors: ErrorList;
  /** Each once, as the server sends them. */
  readonly warnings: readonly string[];
}

/**
 * All steps of a create in one go, for whoever has no admission or allocation to put between them. The object is in its
 * hub version, with its defaults; it may be changed.
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

/** The same for an update, of the whole object or of one subresource. `old` is left alone. */
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

/** Warnings that come while the object is prepared are heard by both. */
function withWarnings(outer: StrategyContext): { context: StrategyContext; warnings: Set<string> } {
  const warnings = new Set<string>();
  const warn = (warning: string): void => {
    warnings.add(warning);
    outer.warn?.(warning);
  };
  return { context: { ...outer, warn }, warnings };
}
