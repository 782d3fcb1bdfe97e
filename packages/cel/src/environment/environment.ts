import { type EventLoop, systemEventLoop } from '@coxswain/apimachinery/turns';
import { type CheckedExpression, check, type Declarations, type IdentDeclaration } from '../checking/checker.ts';
import type { CostEstimate, SizeEstimator } from '../checking/cost-estimate.ts';
import { estimateCost } from '../checking/cost-estimator.ts';
import type { FunctionDeclaration, Library } from '../checking/function-declaration.ts';
import { plan } from '../plan/planner.ts';
import { Program } from '../plan/program.ts';
import { STANDARD_LIBRARY } from '../standard/standard-library.ts';
import { inSlices } from '../steps/slices.ts';
import { completed, type Steps } from '../steps/steps.ts';
import type { Expr } from '../syntax/ast.ts';
import type { MacroDeclaration } from '../syntax/macro.ts';
import { parse } from '../syntax/parser.ts';
import { CelCompileError, type CompileIssue, IssueList, Source } from '../syntax/source.ts';
import { type CelType, DYN, typeOf } from '../values/types.ts';
import { validateLiterals } from './literal-validators.ts';

export interface EnvironmentOptions {
  /** In addition to the standard library, which is always included. */
  readonly libraries?: readonly Library[];
  /** Types of the variables that expressions can use. */
  readonly variables?: ReadonlyMap<string, CelType> | Readonly<Record<string, CelType>>;
  /** Finds object types that expressions name (`Object.spec{…}`). */
  readonly resolveType?: (name: string) => CelType | undefined;
  /** The namespace that names are looked up in. Default: none. */
  readonly container?: string;
}

/** Options of the language. The defaults are those of Kubernetes. */
export interface LanguageOptions {
  /** Fields may be written in backticks. Default: false. */
  readonly escapedIdentifiers?: boolean;
  /** Lists and maps may mix types. Default: false. */
  readonly mixedLiterals?: boolean;
  /** Literal durations, timestamps and patterns are checked when compiling. Default: true. */
  readonly validatesLiterals?: boolean;
}

/** The parts of an environment. */
interface Contents {
  readonly functions: ReadonlyMap<string, FunctionDeclaration>;
  readonly macros: ReadonlyMap<string, MacroDeclaration>;
  readonly idents: ReadonlyMap<string, IdentDeclaration>;
  readonly resolvers: readonly ((name: string) => CelType | undefined)[];
  readonly equality: readonly NonNullable<Library['estimateEquality']>[];
  readonly container: string;
  readonly language: Required<LanguageOptions>;
}

/** The names, functions and macros that expressions may use. Immutable; `extend` returns a new one. */
export class CelEnvironment {
  readonly #contents: Contents;

  constructor(options: EnvironmentOptions & LanguageOptions = {}, base?: CelEnvironment) {
    const known: Partial<Contents> = base === undefined ? {} : base.#contents;
    const libraries = base === undefined ? [STANDARD_LIBRARY, ...(options.libraries ?? [])] : (options.libraries ?? []);
    const {
      escapedIdentifiers = false,
      mixedLiterals = false,
      validatesLiterals = true,
    } = { ...known.language, ...options };
    this.#contents = {
      functions: mergeFunctions(known.functions, libraries),
      macros: mergeMacros(known.macros, libraries),
      idents: mergeIdents(known.idents, libraries, options.variables ?? {}),
      resolvers: [...(options.resolveType === undefined ? [] : [options.resolveType]), ...(known.resolvers ?? [])],
      equality: [
        ...(known.equality ?? []),
        ...libraries.flatMap((library) => library.estimateEquality?.bind(library) ?? []),
      ],
      container: options.container ?? known.container ?? '',
      language: { escapedIdentifiers, mixedLiterals, validatesLiterals },
    };
  }

  /** Returns an environment with more declarations. The maps of this one are shared, not copied. */
  extend(options: EnvironmentOptions): CelEnvironment {
    return new CelEnvironment(options, this);
  }

  /**
   * Parses and checks an expression. Throws CelCompileError with all issues. Takes up to a few hundred milliseconds:
   * use `compileAsync` for untrusted expressions.
   */
  compile(text: string): CompiledExpression {
    return completed(this.compileInSteps(text));
  }

  /** Like the synchronous variant, in slices between which the event loop runs. */
  compileAsync(text: string, eventLoop: EventLoop = systemEventLoop): Promise<CompiledExpression> {
    return inSlices(this.compileInSteps(text), eventLoop);
  }

  /** Like `compile`, in steps. */
  *compileInSteps(text: string): Steps<CompiledExpression> {
    const source = new Source(text);
    const issues = new IssueList();
    const report = (issue: CompileIssue) => issues.add(issue);
    const { macros, language } = this.#contents;
    const macro = (name: string, argCount: number, isReceiver: boolean) =>
      macros.get(macroKey(name, argCount, isReceiver));
    const { escapedIdentifiers, mixedLiterals, validatesLiterals } = language;
    const parsed = yield* parse(source, { macro, escapedIdentifiers }, report);
    if (parsed === undefined) throw new CelCompileError(source, issues);
    // Mixed types are reported by validateLiterals after the type check, which treats them as `dyn`.
    const checked = yield* check(parsed, source, this.#declarations(), mixedLiterals || validatesLiterals, report);
    if (issues.count === 0 && validatesLiterals) yield* validateLiterals(checked, report);
    if (issues.count > 0) throw new CelCompileError(source, issues);
    return new CompiledExpression(checked, this.#estimateEquality);
  }

  #declarations(): Declarations {
    return {
      container: this.#contents.container,
      ident: (name) => this.#contents.idents.get(name) ?? this.#typeIdent(name),
      function: (name) => this.#contents.functions.get(name),
    };
  }

  #typeIdent(name: string): IdentDeclaration | undefined {
    for (const resolve of this.#contents.resolvers) {
      const type = resolve(name);
      if (type !== undefined) return { name, type: typeOf(type) };
    }
    return undefined;
  }

  readonly #estimateEquality: NonNullable<Library['estimateEquality']> = (type, lhs, rhs) => {
    for (const estimate of this.#contents.equality) {
      const cost = estimate(type, lhs, rhs);
      if (cost !== undefined) return cost;
    }
    return undefined;
  };
}

/** An expression that passed all checks. */
export class CompiledExpression {
  readonly #checked: CheckedExpression;
  readonly #estimateEquality: NonNullable<Library['estimateEquality']>;

  constructor(checked: CheckedExpression, estimateEquality: NonNullable<Library['estimateEquality']>) {
    this.#checked = checked;
    this.#estimateEquality = estimateEquality;
  }

  get source(): string {
    return this.#checked.source.text;
  }

  /** The tree, with macros expanded. */
  get expr(): Expr {
    return this.#checked.expr;
  }

  /** The type of the result. */
  get type(): CelType {
    return this.#checked.types.get(this.#checked.expr.id) ?? DYN;
  }

  /** The variables that the expression mentions, without local ones. */
  get variables(): ReadonlySet<string> {
    const names = new Set<string>();
    for (const { name, type, value, isLocal } of this.#checked.idents.values()) {
      if (!isLocal && value === undefined && type.kind !== 'type') names.add(name);
    }
    return names;
  }

  /** Estimates the range of costs of an evaluation. `sizes` returns known sizes, by path and type. */
  estimateCost(sizes: SizeEstimator = () => undefined): CostEstimate {
    return completed(estimateCost(this.#checked, sizes, this.#estimateEquality));
  }

  /** Like the synchronous variant, in slices between which the event loop runs. */
  estimateCostAsync(
    sizes: SizeEstimator = () => undefined,
    eventLoop: EventLoop = systemEventLoop,
  ): Promise<CostEstimate> {
    return inSlices(estimateCost(this.#checked, sizes, this.#estimateEquality), eventLoop);
  }

  /** Plans the expression for evaluation. Throws CelProgramError if a constant part of it fails. */
  program(): Program {
    return new Program(completed(plan(this.#checked)));
  }

  /** Like the synchronous variant, in slices between which the event loop runs. */
  async programAsync(eventLoop: EventLoop = systemEventLoop): Promise<Program> {
    return new Program(await inSlices(plan(this.#checked), eventLoop));
  }
}

function macroKey(name: string, argCount: number, isReceiver: boolean): string {
  return `${name}:${argCount}:${isReceiver}`;
}

function mergeMacros(
  base: ReadonlyMap<string, MacroDeclaration> | undefined,
  libraries: readonly Library[],
): ReadonlyMap<string, MacroDeclaration> {
  const added = libraries.flatMap((library) => library.macros ?? []);
  if (base !== undefined && added.length === 0) return base;
  const macros = new Map(base);
  for (const macro of added) macros.set(macroKey(macro.name, macro.argCount, macro.isReceiver), macro);
  return macros;
}

/** Merges functions: libraries may add overloads to existing ones. */
function mergeFunctions(
  base: ReadonlyMap<string, FunctionDeclaration> | undefined,
  libraries: readonly Library[],
): ReadonlyMap<string, FunctionDeclaration> {
  const added = libraries.flatMap((library) => library.functions ?? []);
  if (base !== undefined && added.length === 0) return base;
  const functions = new Map(base);
  for (const declaration of added) {
    const existing = functions.get(declaration.name);
    functions.set(declaration.name, existing === undefined ? declaration : merged(existing, declaration));
  }
  return functions;
}

function merged(a: FunctionDeclaration, b: FunctionDeclaration): FunctionDeclaration {
  const ids = new Set(b.overloads.map(({ id }) => id));
  const overloads = [...a.overloads.filter(({ id }) => !ids.has(id)), ...b.overloads];
  const dispatch = a.dispatch ?? b.dispatch;
  return { name: a.name, overloads, ...(dispatch === undefined ? {} : { dispatch }) };
}

function mergeIdents(
  base: ReadonlyMap<string, IdentDeclaration> | undefined,
  libraries: readonly Library[],
  variables: ReadonlyMap<string, CelType> | Readonly<Record<string, CelType>>,
): ReadonlyMap<string, IdentDeclaration> {
  const idents = new Map(base);
  for (const { types = [], constants = [] } of libraries) {
    for (const type of types) idents.set(type.name, { name: type.name, type: typeOf(type) });
    for (const constant of constants) idents.set(constant.name, constant);
  }
  for (const [name, type] of variables instanceof Map ? variables : Object.entries(variables))
    idents.set(name, { name, type });
  return idents;
}
