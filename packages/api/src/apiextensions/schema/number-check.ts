import { goFloat, invalid } from '@coxswain/apimachinery';
import type { JSONSchemaProps } from '../../generated/apiextensions/v1.ts';
import type { ValidationRun } from './validation-run.ts';

/** Reports whether Go decodes a JSON number to an int64. Integers that do not fit a double are bigints here. */
export const isInt64 = (value: number | bigint): boolean =>
  typeof value === 'bigint' ? BigInt.asIntN(64, value) === value : Number.isSafeInteger(value);

/** Reports whether a number fits the type and format that a schema declares. */
function isInRange(value: number | bigint, type: string | undefined, format: string | undefined): boolean {
  if (type === 'integer') {
    if (typeof value === 'number' && !Number.isInteger(value)) return false;
    if (format === 'int32') return value >= -(2 ** 31) && value < 2 ** 31;
    return typeof value === 'bigint' ? isInt64(value) : value >= -(2 ** 63) && value < 2 ** 63;
  }
  return type !== 'number' || format !== 'float' || Number.isFinite(Math.fround(Number(value)));
}

function isMultiple(value: number, factor: number): boolean {
  const quotient = factor < 1 ? (1 / factor) * value : value / factor;
  return Math.abs(quotient - Math.round(quotient)) <= 1e-9 * Math.max(1, Math.abs(quotient));
}

/** Compiles the check of a number's bounds and format; undefined where any number is valid. */
export function compileNumberCheck(
  schema: JSONSchemaProps,
  type: string | undefined,
): ((given: number | bigint, run: ValidationRun) => void) | undefined {
  const { multipleOf, minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const formats = type === 'integer' ? ['int32', 'int64'] : type === 'number' ? ['float', 'double'] : [];
  const format = schema.format && formats.includes(schema.format) ? schema.format : undefined;
  if (type !== 'integer' && format !== 'float' && [multipleOf, minimum, maximum].every((it) => it === undefined)) {
    return undefined;
  }
  const complainOfRange = (what: string, run: ValidationRun): void => {
    const kind = format ? `with format ${format}` : '(default format)';
    run.complainOfName((name) => `${what} value must be of type ${type} ${kind} in ${name}`);
  };
  const factor = boundOf(multipleOf, type, format);
  const lower = boundOf(minimum, type, format);
  const upper = boundOf(maximum, type, format);
  return (given, run) => {
    const value = Number(given);
    const isWhole = isInt64(given);
    if (!isInRange(given, type, format)) complainOfRange('Checked', run);
    if (factor) {
      if (!factor.fits) complainOfRange('MultipleOf', run);
      const limit = factor.limit(isWhole);
      if (limit <= 0) {
        run.fail((path, name) =>
          invalid(path, limit, `factor MultipleOf declared for ${name} must be positive: ${factor.text(isWhole)}`),
        );
      } else if (!isMultiple(value, limit)) run.complain(given, `should be a multiple of ${factor.text(isWhole)}`);
    }
    if (lower) {
      if (!lower.fits) complainOfRange('Minimum boundary', run);
      const limit = lower.limit(isWhole);
      if (exclusiveMinimum ? value <= limit : value < limit) {
        run.complain(given, `should be greater than ${exclusiveMinimum ? '' : 'or equal to '}${lower.text(isWhole)}`);
      }
    }
    if (upper) {
      if (!upper.fits) complainOfRange('Maximum boundary', run);
      const limit = upper.limit(isWhole);
      if (exclusiveMaximum ? value >= limit : value > limit) {
        run.complain(given, `should be less than ${exclusiveMaximum ? '' : 'or equal to '}${upper.text(isWhole)}`);
      }
    }
  };
}

/** A bound of numbers. For integer values the bound is truncated to an integer, if it fits the type. */
interface Bound {
  readonly fits: boolean;
  limit(isWhole: boolean): number;
  text(isWhole: boolean): string;
}

function boundOf(bound: number | undefined, type: string | undefined, format: string | undefined): Bound | undefined {
  if (bound === undefined) return undefined;
  const fits = isInRange(bound, type, format);
  const whole = fits ? Math.trunc(bound) : bound;
  return {
    fits,
    limit: (isWhole) => (isWhole ? whole : bound),
    text: (isWhole) => (isWhole && fits ? String(whole) : goFloat(bound)),
  };
}
