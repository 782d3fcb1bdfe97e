import type { UserInfo } from '@coxswain/api';
import { isJsonObject } from '@coxswain/apimachinery';
import type { Expr } from '@coxswain/cel';
import {
  BOOL,
  CelCompileError,
  CelEnvironment,
  CelList,
  CelMap,
  type CelType,
  type CelValue,
  DYN,
  fromJson,
  listOf,
  mapOf,
  objectType,
  type Program,
  STRING,
  sameType,
} from '@coxswain/cel';
import { kubernetesLibraries } from '@coxswain/cel/library';
import type { Claims } from './claims.ts';
import type { ClaimExpression, ExpressionCompiler, UserExpression } from './expression-compiler.ts';

const userFields: ReadonlyMap<string, CelType> = new Map<string, CelType>([
  ['username', STRING],
  ['uid', STRING],
  ['groups', listOf(STRING)],
  ['extra', mapOf(STRING, listOf(STRING))],
]);
const base = new CelEnvironment({ libraries: kubernetesLibraries });
const claimsEnvironment = base.extend({ variables: { claims: mapOf(STRING, DYN) } });
const userEnvironment = base.extend({
  variables: { user: objectType('kubernetes.UserInfo', { field: (name) => userFields.get(name) }) },
});

/** Compiles CEL expressions over `claims` and `user`. Throws an Error with the problem of an invalid expression. */
export const celExpressions: ExpressionCompiler = {
  claims(text, mustBeBoolean): ClaimExpression {
    const { program, expr } = compile(claimsEnvironment, text, mustBeBoolean);
    return {
      text,
      uses: (claim) => usesClaim(expr, claim),
      evaluate: (claims) => evaluate(program, text, 'claims', new GoMap(claims)),
    };
  },
  user(text): UserExpression {
    const { program } = compile(userEnvironment, text, true);
    return { text, evaluate: (user) => evaluate(program, text, 'user', userValue(user)) };
  },
};

function compile(
  environment: CelEnvironment,
  text: string,
  mustBeBoolean: boolean,
): { readonly program: Program; readonly expr: Expr } {
  try {
    const compiled = environment.compile(text);
    if (mustBeBoolean && !sameType(compiled.type, BOOL)) throw new Error('must evaluate to bool');
    return { program: compiled.program(), expr: compiled.expr };
  } catch (cause) {
    if (cause instanceof CelCompileError) throw new Error(`compilation failed: ${cause.message}`, { cause });
    throw cause;
  }
}

async function evaluate(program: Program, text: string, variable: string, value: CelValue): Promise<unknown> {
  const { value: result, error } = await program.evaluateAsync(new Map([[variable, value]]));
  if (error) throw new Error(`expression '${text}' resulted in error: ${error.message}`, { cause: error });
  return plain(result);
}

/**
 * Converts a result to a type that mappings use: string, boolean, null or list of strings. Anything else is undefined.
 */
function plain(value: CelValue): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  return value instanceof CelList ? [...value].map((item) => (typeof item === 'string' ? item : undefined)) : undefined;
}

function userValue({ username, uid = '', groups = [], extra = {} }: UserInfo): CelValue {
  return new GoMap({ username, uid, groups, extra });
}

/**
 * Converts JSON as Go does without a schema: all numbers are doubles. Map keys may be written as escaped field names.
 */
function goValue(json: unknown): CelValue {
  if (typeof json === 'number') return json;
  if (Array.isArray(json)) return new GoList(json);
  return isJsonObject(json) ? new GoMap(json) : fromJson(json);
}

class GoList extends CelList {
  readonly #json: readonly unknown[];

  constructor(json: readonly unknown[]) {
    super();
    this.#json = json;
  }

  get size(): number {
    return this.#json.length;
  }

  at(index: number): CelValue {
    return goValue(this.#json[index]);
  }
}

class GoMap extends CelMap {
  readonly #json: Claims;

  constructor(json: Claims) {
    super();
    this.#json = json;
  }

  get size(): number {
    return Object.keys(this.#json).length;
  }

  get(key: CelValue): CelValue | undefined {
    if (typeof key !== 'string') return undefined;
    const name = unescapeName(key);
    return name !== undefined && Object.hasOwn(this.#json, name) ? goValue(this.#json[name]) : undefined;
  }

  keys(): Iterable<CelValue> {
    return Object.keys(this.#json);
  }
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['underscores', '__'],
  ['dot', '.'],
  ['dash', '-'],
  ['slash', '/'],
]);
const reserved: ReadonlySet<string> = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

/** The field that an escaped name stands for; undefined when the name is not validly escaped. */
function unescapeName(name: string): string | undefined {
  if (!name.includes('__')) return name;
  let valid = true;
  const unescaped = name.replace(/__[^_]+__/g, (found) => {
    const inner = found.slice(2, -2);
    const character = escapes.get(inner);
    if (character !== undefined) return character;
    valid &&= reserved.has(inner) && found.length === name.length;
    return inner;
  });
  return valid ? unescaped : undefined;
}

/** Whether an expression selects a claim: `claims.email`, `claims.?email`. The parser bounds the depth. */
function usesClaim(expr: Expr, claim: string): boolean {
  const isClaims = (operand: Expr | undefined): boolean => operand?.kind === 'ident' && operand.name === 'claims';
  const any = (parts: readonly (Expr | undefined)[]): boolean =>
    parts.some((part) => part !== undefined && usesClaim(part, claim));
  switch (expr.kind) {
    case 'select':
      return (isClaims(expr.operand) && expr.field === claim) || usesClaim(expr.operand, claim);
    case 'call': {
      const [operand, field] = expr.args;
      const optional = expr.function === '_?._' && isClaims(operand) && field?.kind === 'literal';
      return (optional && field.value === claim) || any([...expr.args, expr.target]);
    }
    case 'list':
      return any(expr.elements);
    case 'map':
      return any(expr.entries.flatMap(({ key, value }) => [key, value]));
    case 'struct':
      return any(expr.fields.map(({ value }) => value));
    case 'comprehension':
      return any([expr.iterRange, expr.accuInit, expr.loopCondition, expr.loopStep, expr.result]);
    default:
      return false;
  }
}
