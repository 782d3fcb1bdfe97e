import type { Pod } from '@coxswain/api/core/v1';
import type { PodDisruptionBudget } from '@coxswain/api/policy/v1';
import { labelSelectorAsSelector, Selector } from '@coxswain/apimachinery/labels';
import type { PodInfo } from '../../framework/pod-info.ts';

interface Budget {
  readonly selector: Selector;
  readonly disruptionsAllowed: number;
  /** By name: pods whose disruption is already counted. */
  readonly disruptedPods: Readonly<Record<string, string>>;
}

/** Victims grouped by whether their eviction violates a budget, each group in the given order. */
export interface SplitVictims {
  readonly violating: readonly PodInfo[];
  readonly others: readonly PodInfo[];
}

/** The cluster's PodDisruptionBudgets, for evaluating potential victims. */
export class DisruptionBudgets {
  readonly #byNamespace = new Map<string, Budget[]>();

  /** `selectorOf` returns a budget's selector; it may cache it. */
  constructor(budgets: Iterable<PodDisruptionBudget>, selectorOf = budgetSelector) {
    for (const budget of budgets) {
      const selector = selectorOf(budget);
      // As upstream: a budget that selects everything protects no pod from preemption.
      if (selector.isEmpty()) continue;
      const { namespace = '' } = budget.metadata;
      const { disruptionsAllowed = 0, disruptedPods = {} } = budget.status ?? {};
      const known = this.#byNamespace.get(namespace);
      if (known) known.push({ selector, disruptionsAllowed, disruptedPods });
      else this.#byNamespace.set(namespace, [{ selector, disruptionsAllowed, disruptedPods }]);
    }
  }

  /** Evaluates the pods as if they were evicted one after the other. */
  split(pods: readonly PodInfo[]): SplitVictims {
    if (this.#byNamespace.size === 0) return { violating: [], others: pods };
    const violating: PodInfo[] = [];
    const others: PodInfo[] = [];
    const used = new Map<Budget, number>();
    for (const info of pods) (this.#isViolated(info.pod, used) ? violating : others).push(info);
    return { violating, others };
  }

  #isViolated({ metadata: { namespace = '', name = '', labels } }: Pod, used: Map<Budget, number>): boolean {
    if (!labels) return false;
    let isViolated = false;
    for (const budget of this.#byNamespace.get(namespace) ?? []) {
      if (!budget.selector.matches(labels) || Object.hasOwn(budget.disruptedPods, name)) continue;
      const count = (used.get(budget) ?? 0) + 1;
      used.set(budget, count);
      if (count > budget.disruptionsAllowed) isViolated = true;
    }
    return isViolated;
  }
}

/** An invalid selector selects no pods. */
export function budgetSelector({ spec }: PodDisruptionBudget): Selector {
  try {
    return labelSelectorAsSelector(spec?.selector);
  } catch {
    return Selector.nothing;
  }
}
