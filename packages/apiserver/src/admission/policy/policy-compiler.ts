import type { ParamKind, Variable } from '@coxswain/api/admissionregistration/v1';
import type { EventLoop } from '@coxswain/apimachinery/turns';
import { type CelEnvironment, type CelType, DYN, listOf, mapOf, objectType } from '@coxswain/cel';
import { Turns } from '../../turns/turns.ts';
import {
  admissionEnvironment,
  type CompiledPolicyExpression,
  compileExpression,
  type ExpressionScope,
} from '../expressions/environment.ts';

type Scope = Omit<ExpressionScope, 'params'>;

/**
 * Compiles the expressions of one policy. Each variable can use the previous ones; other expressions can use all of
 * them. Yields to the event loop, since a policy may have many expressions.
 */
export class PolicyCompiler {
  /** By name. */
  readonly variables = new Map<string, CompiledPolicyExpression>();
  readonly #base: (scope: Scope) => CelEnvironment;
  readonly #types = new Map<string, CelType>();
  readonly #variablesType: CelType;
  readonly #environments = new Map<string, CelEnvironment>();
  readonly #eventLoop: EventLoop;
  readonly #turns: Turns;

  /** `base`: the environment without variables. */
  constructor(base: (scope: Scope) => CelEnvironment, eventLoop: EventLoop) {
    this.#base = base;
    this.#eventLoop = eventLoop;
    this.#turns = new Turns(eventLoop);
    this.#variablesType = objectType('kubernetes.variables', { field: (name) => this.#types.get(name) });
  }

  /** Creates a compiler for a policy with or without parameters. */
  static of(paramKind: ParamKind | undefined, eventLoop: EventLoop): PolicyCompiler {
    const params = paramKind !== undefined;
    return new PolicyCompiler((scope) => admissionEnvironment({ ...scope, params }), eventLoop);
  }

  async addVariable({ name, expression }: Variable): Promise<CompiledPolicyExpression> {
    const compiled = await this.compile(expression, [], { authorizer: true });
    this.#types.set(name, visibleType(compiled.type));
    this.variables.set(name, compiled);
    return compiled;
  }

  async compile(text: string, types: readonly CelType[], scope: Scope): Promise<CompiledPolicyExpression> {
    await this.#turns.next();
    return compileExpression(this.#environment(scope), text, types, this.#eventLoop);
  }

  #environment(scope: Scope): CelEnvironment {
    const key = `${scope.authorizer} ${scope.patchTypes}`;
    let environment = this.#environments.get(key);
    if (!environment) {
      environment = this.#base(scope).extend({ variables: { variables: this.#variablesType } });
      this.#environments.set(key, environment);
    }
    return environment;
  }
}

const plain: ReadonlySet<CelType['kind']> = new Set([
  'bool',
  'bytes',
  'double',
  'duration',
  'int',
  'null',
  'string',
  'timestamp',
  'uint',
]);

/** The type of a variable in other expressions: `dyn` for types that upstream cannot declare. */
function visibleType(type: CelType | undefined): CelType {
  if (!type) return DYN;
  const [first, second] = type.parameters;
  if (type.kind === 'list') return listOf(visibleType(first));
  if (type.kind === 'map') return mapOf(visibleType(first), visibleType(second));
  return plain.has(type.kind) ? type : DYN;
}
