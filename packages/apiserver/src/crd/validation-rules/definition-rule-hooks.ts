import { definitionStrategyWithRules, type RuleChecks, type Strategy } from '@coxswain/api';
import type { CustomResourceDefinition } from '@coxswain/api/apiextensions/v1';
import type { GroupResource, KubernetesObject } from '@coxswain/apimachinery';
import type { EventLoop } from '@coxswain/apimachinery/turns';
import type { Reservation, ResourceHooks } from '../../registry/resource-hooks.ts';
import type { DefinitionRules } from './definition-rules.ts';
import { hasRules } from './has-rules.ts';

const nothingReserved: Reservation = { commit: () => {}, rollback: () => {} };

const isDefinitions = ({ group, resource }: GroupResource): boolean =>
  group === 'apiextensions.k8s.io' && resource === 'customresourcedefinitions';

/**
 * The strategy and hooks that validate the rules of definitions. Hooks prepare the rules before the strategy validates
 * them. CEL is loaded with the first definition that has rules, or by `load`.
 */
export class DefinitionRuleHooks {
  readonly #eventLoop: () => EventLoop;
  #rules: DefinitionRules | undefined;

  constructor(eventLoop: () => EventLoop) {
    this.#eventLoop = eventLoop;
  }

  /** Undefined for other resources than definitions. */
  strategyOf(resource: GroupResource): Strategy | undefined {
    return isDefinitions(resource) ? (definitionStrategyWithRules(this.#checks()) as Strategy) : undefined;
  }

  /** Undefined for other resources than definitions. */
  hooksOf(resource: GroupResource): ResourceHooks | undefined {
    if (!isDefinitions(resource)) return undefined;
    const begin = (object: KubernetesObject) => this.#begin(object as CustomResourceDefinition);
    return { beginCreate: begin, beginUpdate: begin };
  }

  /** Loads CEL, so that the first definition with rules need not wait for it. */
  async load(): Promise<DefinitionRules> {
    const { DefinitionRules } = await import('./definition-rules.ts');
    this.#rules ??= new DefinitionRules(this.#eventLoop());
    return this.#rules;
  }

  async #begin(definition: CustomResourceDefinition): Promise<Reservation> {
    const schemas = (definition.spec?.versions ?? []).map(({ schema }) => schema?.openAPIV3Schema);
    if (schemas.some((schema) => schema && hasRules(schema))) {
      const rules = await this.load();
      await rules.prepare(definition);
    }
    return nothingReserved;
  }

  /** Until CEL is loaded, there are no rules to check. */
  #checks(): RuleChecks {
    return {
      validateRules: (...args) => this.#rules?.validateRules(...args) ?? [],
      validateDefault: (schema, path, options) =>
        this.#rules?.validateDefault(schema, path, options) ?? { errors: [], budget: options.budget },
    };
  }
}
