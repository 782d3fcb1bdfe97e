import { readFileSync } from 'node:fs';
import type { JSONSchemaProps, ValidationRule } from '@coxswain/api/apiextensions/v1';
import { parseJson } from '@coxswain/apimachinery';
import { systemEventLoop } from '@coxswain/apimachinery/turns';
import { describe, expect, it } from 'vitest';
import { SchemaTypes } from '../../cel-types/schema-type.ts';
import { RuleScope } from './compiled-rule.ts';

interface Group {
  readonly schema: JSONSchemaProps;
  readonly isResource?: boolean;
  readonly rules: readonly {
    readonly rule: ValidationRule;
    readonly maxCost: number | bigint;
    readonly usesOldSelf?: boolean;
    readonly messageMaxCost?: number;
    readonly fieldPath?: string;
    readonly error?: string;
    readonly messageError?: string;
  }[];
}

const recorded = new URL('./testdata/compiled.json', import.meta.url);
const groups = parseJson(readFileSync(recorded, 'utf8')).value as readonly Group[];

/** The results of the compiler of Kubernetes v1.36.4 for the same rules. */
describe.each(groups.map((group, i) => [`schema ${i}`, group] as const))('%s', (_, { schema, isResource, rules }) => {
  const scope = new RuleScope(schema, new SchemaTypes().of(schema, isResource ?? false)!);
  it.each(rules.map((one) => [one.rule.rule, one] as const))('%s', async (_rule, one) => {
    const compiled = await scope.compile(one.rule, systemEventLoop);
    expect(compiled?.rule.error).toBe(one.error);
    expect(compiled?.rule.maxCost ?? 0).toBe(Number(one.maxCost));
    expect(compiled?.usesOldSelf ?? false).toBe(one.usesOldSelf ?? false);
    expect(compiled?.messageExpression?.error).toBe(one.messageError);
    expect(compiled?.messageExpression?.maxCost ?? 0).toBe(one.messageMaxCost ?? 0);
    expect(compiled?.fieldPath ?? '').toBe(one.fieldPath ?? '');
  });
});
