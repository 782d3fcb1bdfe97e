import { isInt64 } from './number-check.ts';
import type { ValidationRun } from './validation-run.ts';

/** Returns the JSON Schema type of a value that is not null. */
function typeOf(value: unknown): string {
  switch (typeof value) {
    case 'number':
    case 'bigint':
      return isInt64(value) ? 'integer' : 'number';
    case 'object':
      return Array.isArray(value) ? 'array' : 'object';
    default:
      return typeof value;
  }
}

/** JSON Schema type → the format of the Go type that holds such a number. */
const goFormats: Readonly<Record<string, string>> = { integer: 'int64', number: 'float64' };

/**
 * Compiles the check that a value has one of the types; undefined where every type is valid. A value of a valid type
 * counts as a match.
 */
export function compileTypeCheck(
  types: readonly string[],
  format: string,
  nullable: boolean,
): ((value: unknown, run: ValidationRun) => void) | undefined {
  if (types.length === 0 && format === '') return undefined;
  const wanted = types.join(',');
  const isNumeric = types.includes('number') || types.includes('integer');
  const allowed = new Set(types.includes('number') ? [...types, 'integer'] : types);
  const allowsNull = types.length === 0 || nullable || types.includes('null');
  return (value, run) => {
    if (value === null || value === undefined) {
      if (allowsNull) run.matches++;
      else run.complainOfType(wanted, 'null');
      return;
    }
    const type = typeOf(value);
    const isTextOrList = type === 'string' || type === 'array';
    if (allowed.has(type) || (format !== '' && isTextOrList && !isNumeric)) run.matches++;
    else if (format !== '' && !isTextOrList && goFormats[type] !== format) {
      run.complainOfType(format, goFormats[type] ?? '');
    } else run.complainOfType(wanted, type);
  };
}
