import type { CheckedExpression } from '../checking/checker.ts';
import { formatCallProblem } from '../library/format-check.ts';
import { regexProblem } from '../standard/regex.ts';
import { Pace, type Steps } from '../steps/steps.ts';
import { children, type Expr } from '../syntax/ast.ts';
import type { CompileIssue } from '../syntax/source.ts';
import { parseDuration } from '../values/duration.ts';
import { parseTimestamp } from '../values/timestamp.ts';
import { type CelType, DYN, sameType } from '../values/types.ts';
import { CelError } from '../values/values.ts';

/** Functions whose literal first argument must be valid, with the check for it. */
const LITERAL_ARGUMENTS: Readonly<Record<string, (text: string) => boolean>> = {
  duration: (text) => parseDuration(text) !== undefined,
  timestamp: isTimestamp,
  matches: (text) => regexProblem(text) === undefined,
};

/** The approximate number of steps for validating one node. */
const EXPR_STEPS = 16;

/** Calls whose list and map arguments may mix types. */
const MIXED_LITERAL_FUNCTIONS = new Set(['format']);

function isTimestamp(text: string): boolean {
  try {
    return parseTimestamp(text) !== undefined;
  } catch (error) {
    if (error instanceof CelError) return false;
    throw error;
  }
}

/** Validates after the type check: reports literals that would fail at evaluation, and lists and maps of mixed types. */
export function* validateLiterals(checked: CheckedExpression, report: (issue: CompileIssue) => void): Steps<void> {
  const error = (id: number, message: string) =>
    report({ message, location: checked.source.location(checked.offsets[id] ?? 0) });
  const type = (expr: Expr, isOptional: boolean): CelType => {
    const found = checked.types.get(expr.id) ?? DYN;
    return isOptional ? (found.parameters[0] ?? found) : found;
  };
  const mismatch = (expr: Expr, expected: CelType, actual: CelType) =>
    error(expr.id, `expected type '${expected}' but found '${actual}'`);

  const pending: (readonly [expr: Expr, mayMix: boolean])[] = [[checked.expr, false]];
  const pace = new Pace();
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [expr, mayMix] = next;
    let mixes = mayMix;
    if (pace.isOver(EXPR_STEPS)) yield pace.taken;
    if (expr.kind === 'call') {
      mixes ||= MIXED_LITERAL_FUNCTIONS.has(expr.function);
      const problem = formatCallProblem(expr, (argument) => type(argument, false));
      if (problem) error(problem.id, problem.message);
      const isValid = Object.hasOwn(LITERAL_ARGUMENTS, expr.function) ? LITERAL_ARGUMENTS[expr.function] : undefined;
      const [first] = expr.args;
      if (
        isValid !== undefined &&
        first?.kind === 'literal' &&
        typeof first.value === 'string' &&
        !isValid(first.value)
      ) {
        error(first.id, `invalid ${expr.function} argument`);
      }
    } else if (expr.kind === 'list' && !mixes) {
      const optional = new Set(expr.optionalIndices);
      const types = expr.elements.map((element, i) => type(element, optional.has(i)));
      const [expected] = types;
      const at = expected === undefined ? -1 : types.findIndex((other) => !sameType(expected, other));
      const [element, actual] = [expr.elements[at], types[at]];
      if (expected !== undefined && element !== undefined && actual !== undefined) mismatch(element, expected, actual);
    } else if (expr.kind === 'map' && !mixes) {
      const [first, ...rest] = expr.entries;
      for (const { key, value, optional } of first === undefined ? [] : rest) {
        if (first === undefined) break;
        const [keyType, valueType] = [type(first.key, false), type(first.value, first.optional)];
        if (!sameType(keyType, type(key, false))) mismatch(key, keyType, type(key, false));
        if (!sameType(valueType, type(value, optional))) mismatch(value, valueType, type(value, optional));
      }
    }
    for (const child of children(expr)) pending.push([child, mixes]);
  }
}
