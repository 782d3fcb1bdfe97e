import type { GroupVersionBehaviour } from '../../strategy/strategy.ts';
import { evictionStrategy } from './eviction.ts';
import { podDisruptionBudgetStrategy, setPodDisruptionBudgetDefaults } from './pod-disruption-budget.ts';

export const behaviour: GroupVersionBehaviour = {
  group: 'policy',
  version: 'v1',
  defaults: { PodDisruptionBudget: setPodDisruptionBudgetDefaults },
  strategies: { Eviction: evictionStrategy, PodDisruptionBudget: podDisruptionBudgetStrategy },
};
