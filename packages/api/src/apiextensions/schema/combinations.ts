import { quote } from '@coxswain/apimachinery';
import type { JSONSchemaProps } from '../../generated/apiextensions/v1.ts';
import { type Check, uncorrelated, type ValidationRun } from './validation-run.ts';

/**
 * Compiles `anyOf`, `oneOf`, `allOf` and `not`; undefined when the schema has none. Errors inside them are never
 * forgiven by comparison with the old value.
 */
export function compileCombinations(
  schema: JSONSchemaProps,
  compile: (schema: JSONSchemaProps) => Check,
): ((value: unknown, run: ValidationRun) => void) | undefined {
  const anyOf = schema.anyOf?.map(compile) ?? [];
  const oneOf = schema.oneOf?.map(compile) ?? [];
  const allOf = schema.allOf?.map(compile) ?? [];
  const not = schema.not && compile(schema.not);
  if (anyOf.length + oneOf.length + allOf.length === 0 && !not) return undefined;
  const complain = (run: ValidationRun, detail: string) =>
    run.complainOfName((name) => `${quote(name)} must ${detail}`);
  return (value, run) => {
    if (anyOf.length > 0) {
      const { valid, report } = tryAll(anyOf, value, run, true);
      if (valid === 0) complain(run, 'validate at least one schema (anyOf)');
      report();
    }
    if (oneOf.length > 0) {
      const { valid, report } = tryAll(oneOf, value, run, false);
      if (valid !== 1) {
        const found = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`;
        complain(run, `validate one and only one schema (oneOf). ${found}`);
      }
      if (valid < 2) report();
    }
    if (allOf.length > 0) {
      let valid = 0;
      for (const check of allOf) {
        const before = run.failures;
        check(value, run, uncorrelated);
        if (run.failures === before) valid++;
      }
      if (valid !== allOf.length)
        complain(run, `validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`);
    }
    if (not && run.probe(not, value).failures === 0) complain(run, 'not validate the schema (not)');
  };
}

/**
 * Returns how many alternatives are valid, and a function that adds the result to report to the run: that of the first
 * valid alternative, or of the closest one when none is valid.
 */
function tryAll(
  checks: readonly Check[],
  value: unknown,
  run: ValidationRun,
  stopAtFirst: boolean,
): { readonly valid: number; readonly report: () => void } {
  let valid = 0;
  let matchesOfValid = 0;
  let closest: { readonly check: Check; readonly failures: number; readonly matches: number } | undefined;
  for (const check of checks) {
    const result = run.probe(check, value);
    if (result.failures === 0) {
      if (valid === 0) matchesOfValid = result.matches;
      valid++;
      if (stopAtFirst) break;
    } else if (!closest || result.matches > closest.matches) closest = { check, ...result };
  }
  const report = () => {
    if (valid > 0) run.matches += matchesOfValid;
    else if (closest && run.isSilent) {
      run.matches += closest.matches;
      run.failures += closest.failures;
    } else closest?.check(value, run, uncorrelated);
  };
  return { valid, report };
}
