import { readFileSync } from 'node:fs';
import type { JSONSchemaProps, ValidationRule } from '@coxswain/api/apiextensions/v1';
import { Path, parseJson } from '@coxswain/apimachinery';
import { describe, expect, it } from 'vitest';
import { Correlation } from './correlation.ts';
import { RuleNodes } from './rule-node.ts';
import { RuleRun, runtimeCostBudget } from './rule-run.ts';

interface Case {
  readonly rules: readonly ValidationRule[];
  readonly errors?: readonly string[];
  readonly warnings?: readonly string[];
  readonly ratcheting?: boolean;
  readonly budget?: number;
  readonly callLimit?: number;
  readonly cost?: number;
  readonly isOver?: boolean;
}

interface Group {
  readonly schema: JSONSchemaProps;
  readonly object: unknown;
  readonly old?: unknown;
  readonly isResource?: boolean;
  readonly cases: readonly Case[];
}

const recorded = new URL('./testdata/objects.json', import.meta.url);
const groups = parseJson(readFileSync(recorded, 'utf8')).value as readonly Group[];

/** The errors of Kubernetes v1.36.4 for the same objects. */
describe.each(groups.map((group, i) => [`object ${i}`, group] as const))('%s', (_, group) => {
  const { object, old, isResource = false } = group;
  it.each(group.cases.map((one) => [one.rules.map(({ rule }) => rule).join(' | ') || 'rules inside', one] as const))(
    '%s',
    async (_name, one) => {
      const { rules, budget = runtimeCostBudget, callLimit } = one;
      const schema = rules.length > 0 ? { ...group.schema, 'x-kubernetes-validations': [...rules] } : group.schema;
      const warnings: string[] = [];
      const run = new RuleRun({
        budget,
        ...(callLimit !== undefined && { callLimit }),
        warn: (warning) => warnings.push(warning),
      });
      const correlation = one.ratcheting ? Correlation.ofRoot(schema, object, old) : undefined;
      const node = new RuleNodes().of(schema, isResource);
      if (node) await run.judge(node, { path: Path.of('root'), value: object, old, correlation });
      // Upstream visits maps in random order.
      expect(run.errors.map((error) => `${error.type}|${error}`).sort()).toEqual(one.errors ?? []);
      expect(warnings.sort()).toEqual(one.warnings ?? []);
      if (one.isOver) expect(run.budget).toBe(-1);
      else if (one.cost !== undefined) expect(budget - run.budget).toBe(one.cost);
    },
  );
});
