import type { Pod } from '@coxswain/api/core/v1';
import type { PodDisruptionBudget } from '@coxswain/api/policy/v1';
import { labelSelectorAsSelector, Selector } from '@coxswain/apimachinery/labels';
import type { PodInfo } from '../../framework/pod-info.ts';

interface Budget {
  readonly selector: Selector;
  readonly disruptionsAllowed: number;
  /** Pods that are counted as gone already. */
  readonly disruptedPods: Readonly<Record<string, string>>;
}

/** Victims by whether their going would break a budget, each in the order in which they were given. */
export interface SplitVictims {
  readonly violating: readonly PodInfo[];
  readonly others: readonly PodInfo[];
}

/** What the cluster's PodDisruptionBudgets say of pods that might have to go. */
export class DisruptionBudgets {
  readonly #byNamespace = new Map<string, Budget[]>();

  /** `selectorOf` reads a budget's selector; it may remember it. */
  constructor(budgets: Iterable<PodDisruptionBudget>, selectorOf = budgetSelector) {
    for (const budget of budgets) {
      const selector = selectorOf(budget);
      // As upstream has it, one that selects everything protects nothing from preemption.
      if (selector.isEmpty()) continue;
      const { namespace = '' } = budget.metadata;
      const { disruptionsAllowed = 0, disruptedPods = {} } = budget.status ?? {};
      const known = this.#byNamespace.get(namespace);
      if (known) known.push({ selector, disruptionsAllowed, disruptedPods });
      else this.#byNamespace.set(namespace, [{ selector, disruptionsAllowed, disruptedPods }]);
    }
  }

  /** As if the pods went one after the other. */
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

/** A selector that makes no sense selects nothing. */
export function budgetSelector({ spec }: PodDisruptionBudget): Selector {
  try {
    return labelSelectorAsSelector(spec?.selector);
  } catch {
    return Selector.nothing;
  }
}
