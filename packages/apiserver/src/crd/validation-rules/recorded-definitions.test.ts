import { readFileSync } from 'node:fs';
import { definitionStrategyWithRules, FeatureGates } from '@coxswain/api';
import type { CustomResourceDefinition } from '@coxswain/api/apiextensions/v1';
import { completed, parseJson } from '@coxswain/apimachinery';
import { describe, expect, it } from 'vitest';
import { DefinitionRules } from './definition-rules.ts';

interface Case {
  readonly definition: CustomResourceDefinition;
  readonly old?: CustomResourceDefinition;
  readonly errors: readonly string[];
}

const recorded = new URL('./testdata/definitions.json', import.meta.url);
const cases = parseJson(readFileSync(recorded, 'utf8')).value as readonly Case[];
const context = { features: new FeatureGates(), now: () => new Date(0) };

/** The errors of Kubernetes v1.36.4 for the same definitions. */
describe('definitions with rules', () => {
  const rules = new DefinitionRules();
  const strategy = definitionStrategyWithRules(rules);
  it.each(cases.map((one, i) => [`${one.old ? 'update' : 'create'} ${i}`, one] as const))('%s', async (_, one) => {
    const { definition, old, errors } = one;
    await rules.prepare(definition);
    const found = completed(strategy.validateInSteps!(definition, old, context));
    // Upstream visits properties in random order.
    expect(found.map((error) => `${error.type}|${error}`).sort()).toEqual(errors);
  });
});
