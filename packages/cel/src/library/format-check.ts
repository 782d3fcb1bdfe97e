import type { CallExpr, Expr } from '../syntax/ast.ts';
import type { CelType, CelTypeKind } from '../values/types.ts';
import { CelError } from '../values/values.ts';
import { type FormatClause, formatParts, wrongArgument } from './format-clause.ts';

/** The kinds of types that each clause accepts. `string` stands for `NaN` and infinities. */
const integers: readonly CelTypeKind[] = ['int', 'uint'];
const doubles: readonly CelTypeKind[] = ['double', 'string'];
const hex: readonly CelTypeKind[] = [...integers, 'string', 'bytes'];
const accepted: Readonly<Record<FormatClause['verb'], readonly CelTypeKind[]>> = {
  b: [...integers, 'bool'],
  d: integers,
  e: doubles,
  f: doubles,
  o: integers,
  s: [...hex, 'list', 'map', 'double', 'bool', 'timestamp', 'duration', 'type', 'null'],
  x: hex,
  X: hex,
};

export interface FormatProblem {
  /** The id of the expression with the error. */
  readonly id: number;
  readonly message: string;
}

class WrongArgument extends Error {
  readonly id: number;

  constructor(id: number, message: string) {
    super(message);
    this.id = id;
  }
}

/**
 * Returns the error of a call of `format` on a literal with a list literal, as far as types can tell before evaluation;
 * undefined if there is none, and for other calls.
 */
export function formatCallProblem(
  { id, function: name, target, args: [list, ...more] }: CallExpr,
  typeOf: (expr: Expr) => CelType,
): FormatProblem | undefined {
  if (name !== 'format' || more.length > 0 || list?.kind !== 'list') return undefined;
  if (target?.kind !== 'literal' || typeof target.value !== 'string') return undefined;
  const { elements } = list;
  let used = 0;
  try {
    for (const part of formatParts(target.value)) {
      if (typeof part === 'string') continue;
      const { verb } = part.clause();
      const argument = elements[part.index];
      if (!argument) throw new CelError(`index ${part.index} out of range`);
      used = part.index + 1;
      checkArgument(verb, argument, typeOf);
    }
  } catch (error) {
    if (error instanceof WrongArgument) return { id: error.id, message: error.message };
    if (error instanceof CelError) return { id, message: error.message };
    throw error;
  }
  if (elements.length === used) return undefined;
  return { id, message: `too many arguments supplied to string.format (expected ${used}, got ${elements.length})` };
}

/** Checks an argument, and the elements of list and map literals for `%s`. */
function checkArgument(verb: FormatClause['verb'], argument: Expr, typeOf: (expr: Expr) => CelType): void {
  const type = typeOf(argument);
  if (type.kind !== 'dyn' && !accepted[verb].includes(type.kind)) {
    throw new WrongArgument(argument.id, wrongArgument(verb, type.name));
  }
  if (verb !== 's') return;
  if (argument.kind === 'list') for (const element of argument.elements) checkArgument(verb, element, typeOf);
  if (argument.kind !== 'map') return;
  for (const { key, value } of argument.entries) {
    checkArgument(verb, key, typeOf);
    checkArgument(verb, value, typeOf);
  }
}
