import { invalid } from '@coxswain/apimachinery';
import type { JSONSchemaProps } from '../../generated/apiextensions/v1.ts';
import { type Check, type Problem, placeOf, problemAt, problemSomewhere } from './schema-problem.ts';

/** Whether a number fits the type and format that a schema gives it. */
function isInRange(value: number, type: string | undefined, format: string | undefined): boolean {
  if (type === 'integer') {
    if (!Number.isInteger(value)) return false;
    return format === 'int32' ? value >= -(2 ** 31) && value < 2 ** 31 : value >= -(2 ** 63) && value < 2 ** 63;
  }
  return type !== 'number' || format !== 'float' || Number.isFinite(Math.fround(value));
}

/** As Go's `%v` prints a float64. */
function goNumber(value: number): string {
  if (value !== 0 && Math.abs(value) < 1e-4) {
    return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
  }
  return String(value);
}

function isMultiple(value: number, factor: number): boolean {
  const quotient = factor < 1 ? (1 / factor) * value : value / factor;
  return Math.abs(quotient - Math.round(quotient)) <= 1e-9 * Math.max(1, Math.abs(quotient));
}

/** The bounds of a number, and that it fits its format. */
export function numberChecks(schema: JSONSchemaProps): Check {
  const { type, multipleOf, minimum, maximum } = schema;
  const formats = type === 'integer' ? ['int32', 'int64'] : type === 'number' ? ['float', 'double'] : [];
  const format = schema.format && formats.includes(schema.format) ? schema.format : undefined;
  const rangeProblem = (what: string, value: number, name: string): Problem[] => {
    if (isInRange(value, type, format)) return [];
    const kind = format ? `with format ${format}` : '(default format)';
    return [problemSomewhere(`${what} value must be of type ${type} ${kind} in ${name}`)];
  };
  return (given, name) => {
    const value = Number(given);
    // Whole numbers are compared as such: a bound loses its fraction.
    const bound = (limit: number) =>
      Number.isInteger(value) && isInRange(limit, type, format) ? Math.trunc(limit) : limit;
    const complain = (detail: string) => problemAt(name, given, `should be ${detail}`);
    const problems = rangeProblem('Checked', value, name);
    if (multipleOf !== undefined) {
      problems.push(...rangeProblem('MultipleOf', multipleOf, name));
      const factor = bound(multipleOf);
      if (factor <= 0) {
        const detail = `factor MultipleOf declared for ${name} must be positive: ${goNumber(factor)}`;
        problems.push((root) => invalid(placeOf(root, name), factor, detail));
      } else if (!isMultiple(value, factor)) problems.push(complain(`a multiple of ${goNumber(factor)}`));
    }
    if (minimum !== undefined) {
      problems.push(...rangeProblem('Minimum boundary', minimum, name));
      const limit = bound(minimum);
      if (schema.exclusiveMinimum ? value <= limit : value < limit) {
        problems.push(complain(`greater than ${schema.exclusiveMinimum ? '' : 'or equal to '}${goNumber(limit)}`));
      }
    }
    if (maximum !== undefined) {
      problems.push(...rangeProblem('Maximum boundary', maximum, name));
      const limit = bound(maximum);
      if (schema.exclusiveMaximum ? value >= limit : value > limit) {
        problems.push(complain(`less than ${schema.exclusiveMaximum ? '' : 'or equal to '}${goNumber(limit)}`));
      }
    }
    return { problems, matches: 1 };
  };
}
