/**
 * Rules of custom resources (`x-kubernetes-validations`): what CEL sees of a schema, whether the rules of a definition
 * are good and cheap enough (`DefinitionRuleHooks`), and what they have against an object (`custom-resource-rules.ts`,
 * loaded by those who have rules). The language itself is in `cel/`.
 */
export type { RuleValidator } from './custom-resource-rules.ts';
export { DefinitionRuleHooks } from './definition-rule-hooks.ts';
export { hasRules } from './has-rules.ts';
