/**
 * CEL validation rules of custom resources (`x-kubernetes-validations`). `DefinitionRuleHooks` validates the rules of a
 * definition and their costs; `custom-resource-rules.ts`, which is only loaded when there are rules, evaluates them on
 * objects. The language itself is in `@coxswain/cel`.
 */
export type { RuleValidator } from './custom-resource-rules.ts';
export { DefinitionRuleHooks } from './definition-rule-hooks.ts';
export { hasRules } from './has-rules.ts';
