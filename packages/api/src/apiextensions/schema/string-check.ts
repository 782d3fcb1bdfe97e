import { compileGoRegexp, type GoRegexp, tooLong } from '@coxswain/apimachinery';
import type { JSONSchemaProps } from '../../generated/apiextensions/v1.ts';
import type { ValidationRun } from './validation-run.ts';

/**
 * Compiles the check of a string's length and pattern, which reports the first violation. Undefined where any string is
 * valid.
 */
export function compileStringCheck({
  maxLength,
  minLength,
  pattern,
}: JSONSchemaProps): ((text: string, run: ValidationRun) => void) | undefined {
  const compiled = pattern ? compilePattern(pattern) : undefined;
  if (maxLength === undefined && minLength === undefined && !compiled) return undefined;
  return (text, run) => {
    // A string has at most as many characters as code units, and at least half as many: counting is needed only between.
    if (maxLength !== undefined && text.length > maxLength && characters(text) > maxLength) {
      run.fail((path) => tooLong(path, maxLength));
    } else if (minLength !== undefined && text.length < 2 * minLength && characters(text) < minLength) {
      run.complain(text, `should be at least ${minLength} chars long`);
    } else if (compiled && !compiled.test(text)) run.complain(text, `should match '${pattern}'`);
  };
}

function characters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

function compilePattern(pattern: string): Pick<GoRegexp, 'test'> {
  try {
    return compileGoRegexp(pattern);
  } catch {
    // Unreachable: validation of the CRD refuses such a pattern.
    return { test: () => false };
  }
}
