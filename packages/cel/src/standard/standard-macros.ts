import type { Expr } from '../syntax/ast.ts';
import { ACCUMULATOR, type ExprFactory, type MacroDeclaration } from '../syntax/macro.ts';

type Loop = { readonly iterVar: string; readonly iterVar2?: string };

/** The parts of a fold besides its range and variables, for the macros with one and two variables alike. */
type Body = (
  f: ExprFactory,
  loop: Loop,
  args: readonly Expr[],
) => Pick<Parameters<ExprFactory['fold']>[0], 'accuInit' | 'loopCondition' | 'loopStep' | 'result'>;

const all: Body = (f, _loop, [predicate]) => ({
  accuInit: f.literal(true),
  loopCondition: f.call('@not_strictly_false', f.accuIdent()),
  loopStep: f.call('_&&_', f.accuIdent(), required(predicate)),
  result: f.accuIdent(),
});

const exists: Body = (f, _loop, [predicate]) => ({
  accuInit: f.literal(false),
  loopCondition: f.call('@not_strictly_false', f.call('!_', f.accuIdent())),
  loopStep: f.call('_||_', f.accuIdent(), required(predicate)),
  result: f.accuIdent(),
});

const existsOne: Body = (f, _loop, [predicate]) => ({
  accuInit: f.literal(0n),
  loopCondition: f.literal(true),
  loopStep: f.call('_?_:_', required(predicate), f.call('_+_', f.accuIdent(), f.literal(1n)), f.accuIdent()),
  result: f.call('_==_', f.accuIdent(), f.literal(1n)),
});

/** A fold that adds to a collection: all elements, or with two arguments those that pass the filter, which is the first. */
function collect(init: (f: ExprFactory) => Expr, step: (f: ExprFactory, loop: Loop, value: Expr) => Expr): Body {
  return (f, loop, args) => {
    const accuInit = init(f);
    const loopCondition = f.literal(true);
    const added = step(f, loop, required(args.at(-1)));
    const filter = args.length === 2 ? args[0] : undefined;
    const loopStep = filter === undefined ? added : f.call('_?_:_', filter, added, f.accuIdent());
    return { accuInit, loopCondition, loopStep, result: f.accuIdent() };
  };
}

const toList = collect(
  (f) => f.list(),
  (f, _loop, value) => f.call('_+_', f.accuIdent(), f.list(value)),
);
const toMap = collect(
  (f) => f.map(),
  (f, loop, value) => f.call('cel.@mapInsert', f.accuIdent(), f.ident(loop.iterVar), value),
);
const toMapEntries = collect(
  (f) => f.map(),
  (f, _loop, value) => f.call('cel.@mapInsert', f.accuIdent(), value),
);

function required(expr: Expr | undefined): Expr {
  if (expr === undefined) throw new Error('a macro was expanded with too few arguments');
  return expr;
}

function variable(f: ExprFactory, expr: Expr, message: string): string {
  if (expr.kind !== 'ident') throw f.error(expr, message);
  if (expr.name === ACCUMULATOR || expr.name === '__result__') {
    throw f.error(expr, 'iteration variable overwrites accumulator variable');
  }
  return expr.name;
}

const SIMPLE_NAME = 'argument must be a simple name';

function oneVariable(name: string, argCount: number, body: Body, message = SIMPLE_NAME): MacroDeclaration {
  return {
    name,
    isReceiver: true,
    argCount,
    expand(f, target, args) {
      const iterVar = variable(f, required(args[0]), message);
      return f.fold({ iterRange: required(target), iterVar, ...body(f, { iterVar }, args.slice(1)) });
    },
  };
}

function twoVariables(name: string, argCount: number, body: Body): MacroDeclaration {
  return {
    name,
    isReceiver: true,
    argCount,
    expand(f, target, args) {
      const [first, second] = [required(args[0]), required(args[1])];
      for (const expr of [first, second]) if (expr.kind !== 'ident') throw f.error(expr, SIMPLE_NAME);
      if (first.kind === 'ident' && second.kind === 'ident' && first.name === second.name) {
        throw f.error(second, `duplicate variable name: ${first.name}`);
      }
      const loop = { iterVar: variable(f, first, SIMPLE_NAME), iterVar2: variable(f, second, SIMPLE_NAME) };
      return f.fold({ iterRange: required(target), ...loop, ...body(f, loop, args.slice(2)) });
    },
  };
}

/** A local variable: a fold over an empty list whose accumulator is the variable, evaluated on first use. */
function bind(f: ExprFactory, name: string, value: Expr, result: Expr): Expr {
  return f.fold({
    iterRange: f.list(),
    iterVar: '#unused',
    accuVar: name,
    accuInit: value,
    loopCondition: f.literal(false),
    loopStep: f.ident(name),
    result,
  });
}

const has: MacroDeclaration = {
  name: 'has',
  isReceiver: false,
  argCount: 1,
  expand(f, _target, args) {
    const arg = required(args[0]);
    if (arg.kind !== 'select') throw f.error(arg, 'invalid argument to has() macro');
    return f.testOnly(arg.operand, arg.field);
  },
};

const filter: MacroDeclaration = {
  name: 'filter',
  isReceiver: true,
  argCount: 2,
  expand(f, target, args) {
    const element = required(args[0]);
    const iterVar = variable(f, element, 'argument is not an identifier');
    return f.fold({
      iterRange: required(target),
      iterVar,
      ...toList(f, { iterVar }, [required(args[1]), element]),
    });
  },
};

/** `has` and the standard comprehensions. */
export const STANDARD_MACROS: readonly MacroDeclaration[] = [
  has,
  oneVariable('all', 2, all),
  oneVariable('exists', 2, exists),
  oneVariable('exists_one', 2, existsOne),
  oneVariable('map', 2, toList, 'argument is not an identifier'),
  oneVariable('map', 3, toList, 'argument is not an identifier'),
  filter,
];

/** Comprehensions over index and element, or key and value. */
export const TWO_VARIABLE_MACROS: readonly MacroDeclaration[] = [
  twoVariables('all', 3, all),
  twoVariables('exists', 3, exists),
  twoVariables('existsOne', 3, existsOne),
  twoVariables('exists_one', 3, existsOne),
  twoVariables('transformList', 3, toList),
  twoVariables('transformList', 4, toList),
  twoVariables('transformMap', 3, toMap),
  twoVariables('transformMap', 4, toMap),
  twoVariables('transformMapEntry', 3, toMapEntries),
  twoVariables('transformMapEntry', 4, toMapEntries),
];

function optionalMacro(name: string, wrap: (f: ExprFactory, expr: Expr) => Expr): MacroDeclaration {
  return {
    name,
    isReceiver: true,
    argCount: 2,
    expand(f, target, args) {
      const variableExpr = required(args[0]);
      if (variableExpr.kind !== 'ident')
        throw f.error(variableExpr, `${name}() variable name must be a simple identifier`);
      const operand = required(target);
      const mapped = bind(f, variableExpr.name, f.memberCall('value', f.copy(operand)), required(args[1]));
      return f.call('_?_:_', f.memberCall('hasValue', operand), wrap(f, mapped), f.call('optional.none'));
    },
  };
}

export const OPTIONAL_MACROS: readonly MacroDeclaration[] = [
  optionalMacro('optMap', (f, expr) => f.call('optional.of', expr)),
  optionalMacro('optFlatMap', (_f, expr) => expr),
];

/** `cel.bind(name, value, expression)`. */
export const BIND_MACRO: MacroDeclaration = {
  name: 'bind',
  isReceiver: true,
  argCount: 3,
  expand(f, target, args) {
    if (target?.kind !== 'ident' || target.name !== 'cel') return undefined;
    const name = required(args[0]);
    if (name.kind !== 'ident') throw f.error(name, 'cel.bind() variable names must be simple identifiers');
    return bind(f, name.name, required(args[1]), required(args[2]));
  },
};
