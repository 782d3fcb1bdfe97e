import type {
  MatchCondition,
  MutatingAdmissionPolicy,
  ValidatingAdmissionPolicy,
} from '@coxswain/api/admissionregistration/v1';
import {
  type FieldError,
  internalError,
  invalid,
  jsonEquals,
  type KubernetesObject,
  Path,
} from '@coxswain/apimachinery';
import type { EventLoop } from '@coxswain/apimachinery/turns';
import { BOOL, type CelType, listOf, NULL, STRING } from '@coxswain/cel';
import { JSON_PATCH } from '@coxswain/cel/library';
import { Turns } from '../../turns/turns.ts';
import {
  admissionEnvironment,
  type CompiledPolicyExpression,
  compileExpression,
  ExpressionProblem,
  type ExpressionScope,
} from '../expressions/environment.ts';
import { OBJECT } from '../expressions/object-type.ts';
import type { WebhookConfiguration } from '../webhook/compiled-webhook.ts';
import { PolicyCompiler } from './policy-compiler.ts';

type Policy = Pick<ValidatingAdmissionPolicy, 'spec'> & Pick<MutatingAdmissionPolicy, 'spec'>;

const PATCHES = listOf(JSON_PATCH);
const inPolicy: ExpressionScope = { authorizer: true };
const inMutation: ExpressionScope = { authorizer: true, patchTypes: true };

/** The errors of an object's expressions, by field. */
class ExpressionChecks {
  readonly errors = new Map<string, FieldError>();
  readonly #eventLoop: EventLoop;
  readonly #turns: Turns;

  constructor(eventLoop: EventLoop) {
    this.#eventLoop = eventLoop;
    this.#turns = new Turns(eventLoop);
  }

  /** `shown`: the expression in the error. */
  add(path: Path, { text, program }: CompiledPolicyExpression, shown = text): void {
    if (!(program instanceof ExpressionProblem)) return;
    const { detail, isInternal } = program;
    this.errors.set(
      path.toString(),
      isInternal ? internalError(path, new Error(detail)) : invalid(path, shown, detail),
    );
  }

  /** Match conditions cannot use variables. */
  async conditions(conditions: readonly MatchCondition[], path: Path, params: boolean): Promise<void> {
    const environment = admissionEnvironment({ params, authorizer: true });
    for (const [index, { expression = '' }] of conditions.entries()) {
      await this.#turns.next();
      const field = path.index(index).child('expression');
      this.add(field, await compileExpression(environment, expression.trim(), [BOOL], this.#eventLoop));
    }
  }
}

/** Checks the match conditions of webhooks. Unchanged ones are accepted. */
export async function checkWebhookExpressions(
  object: KubernetesObject,
  old: KubernetesObject | undefined,
  eventLoop: EventLoop,
): Promise<ExpressionChecks> {
  const checks = new ExpressionChecks(eventLoop);
  const conditions = conditionsOf(object);
  if (old && jsonEquals(conditions, conditionsOf(old))) return checks;
  for (const [index, list] of conditions.entries())
    await checks.conditions(list, Path.of('webhooks').index(index).child('matchConditions'), false);
  return checks;
}

const conditionsOf = (object: KubernetesObject): (readonly MatchCondition[])[] =>
  ((object as WebhookConfiguration).webhooks ?? []).map(({ matchConditions = [] }) => matchConditions);

/** Checks all expressions of a validating or mutating policy. */
export async function checkPolicyExpressions(
  object: KubernetesObject,
  old: KubernetesObject | undefined,
  eventLoop: EventLoop,
): Promise<ExpressionChecks> {
  const { spec = {} } = object as Policy;
  const { paramKind, matchConditions = [], validations = [], auditAnnotations = [], mutations = [] } = spec;
  const checks = new ExpressionChecks(eventLoop);
  const path = Path.of('spec');
  const before = (old as Policy | undefined)?.spec;
  const unchanged =
    before && jsonEquals(paramKind, before.paramKind) && jsonEquals(matchConditions, before.matchConditions ?? []);
  if (!unchanged) await checks.conditions(matchConditions, path.child('matchConditions'), paramKind !== undefined);
  const compile = await compilerOf(spec, checks, path, eventLoop);
  for (const [index, { expression = '', messageExpression = '' }] of validations.entries()) {
    const field = path.child('validations').index(index);
    checks.add(field.child('expression'), await compile(expression, [BOOL], inPolicy));
    if (messageExpression !== '')
      checks.add(field.child('messageExpression'), await compile(messageExpression, [STRING], {}));
  }
  for (const [index, { valueExpression = '' }] of auditAnnotations.entries()) {
    const field = path.child('auditAnnotations').index(index).child('valueExpression');
    checks.add(field, await compile(valueExpression.trim(), [STRING, NULL], inPolicy), valueExpression);
  }
  for (const [index, { applyConfiguration, jsonPatch }] of mutations.entries()) {
    const field = path.child('mutations').index(index);
    const { expression: configuration = '' } = applyConfiguration ?? {};
    const { expression: patch = '' } = jsonPatch ?? {};
    if (configuration !== '')
      checks.add(
        field.child('applyConfiguration', 'expression'),
        await compile(configuration.trim(), [OBJECT], inMutation),
      );
    if (patch !== '')
      checks.add(field.child('jsonPatch', 'expression'), await compile(patch.trim(), [PATCHES], inMutation));
  }
  return checks;
}

type Compile = (text: string, types: readonly CelType[], scope: ExpressionScope) => Promise<CompiledPolicyExpression>;

/** Returns the compiler for expressions. `variables` is only declared when there are variables, or for mutations. */
async function compilerOf(
  { paramKind, variables = [], mutations }: NonNullable<Policy['spec']>,
  checks: ExpressionChecks,
  path: Path,
  eventLoop: EventLoop,
): Promise<Compile> {
  const params = paramKind !== undefined;
  const compiler = PolicyCompiler.of(paramKind, eventLoop);
  for (const [index, variable] of variables.entries())
    checks.add(path.child('variables').index(index).child('expression'), await compiler.addVariable(variable));
  if (variables.length > 0 || mutations) return (text, types, scope) => compiler.compile(text, types, scope);
  const turns = new Turns(eventLoop);
  return async (text, types, scope) => {
    await turns.next();
    return compileExpression(admissionEnvironment({ ...scope, params }), text, types, eventLoop);
  };
}
