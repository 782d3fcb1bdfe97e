import type { AuditAnnotation, ValidatingAdmissionPolicy, Validation } from '@coxswain/api/admissionregistration/v1';
import type { EventLoop } from '@coxswain/apimachinery/turns';
import { messageOf } from '@coxswain/apimachinery/errors';
import { BOOL, NULL, runtimeType, STRING } from '@coxswain/cel';
import type { CompiledPolicyExpression } from '../expressions/environment.ts';
import { costBudget, Evaluation, type ExpressionInput, type ExpressionResult } from '../expressions/evaluation.ts';
import { OutOfBudgetError } from '../expressions/out-of-budget-error.ts';
import { PolicyCompiler } from './policy-compiler.ts';
import { type ConditionsObserver, PolicyConditions } from './policy-conditions.ts';

const maxMessageBytes = 5 * 1024;
const maxAnnotationBytes = 10 * 1024;

/** The result of one validation. */
export interface Decision {
  readonly outcome: 'admit' | 'deny' | 'error';
  /** Whether the write must be rejected. Errors are ignored with the failurePolicy Ignore. */
  readonly denies: boolean;
  readonly message: string;
  readonly reason?: string;
  readonly seconds: number;
}

/** The result of a policy for a write. */
export interface Verdict {
  /**
   * In the order of validations. Has a single entry when conditions fail or the budget is exceeded; empty when
   * conditions are false.
   */
  readonly decisions: readonly Decision[];
  /** Values of audit annotations by key, without missing values. */
  readonly annotations: readonly (readonly [key: string, value: string])[];
  /** Errors of audit annotations that reject the write. */
  readonly annotationErrors: readonly Decision[];
}

interface CompiledValidation {
  readonly validation: Validation;
  readonly expression: CompiledPolicyExpression;
  readonly message?: CompiledPolicyExpression;
}

interface CompiledAnnotation {
  readonly annotation: AuditAnnotation;
  readonly expression: CompiledPolicyExpression;
}

const nothing: Verdict = { decisions: [], annotations: [], annotationErrors: [] };

/** The compiled expressions of a ValidatingAdmissionPolicy. */
export class Validator {
  readonly #variables: ReadonlyMap<string, CompiledPolicyExpression>;
  readonly #conditions: PolicyConditions;
  readonly #validations: readonly CompiledValidation[];
  readonly #annotations: readonly CompiledAnnotation[];
  readonly #failsOpen: boolean;

  private constructor(
    variables: ReadonlyMap<string, CompiledPolicyExpression>,
    conditions: PolicyConditions,
    validations: readonly CompiledValidation[],
    annotations: readonly CompiledAnnotation[],
    failsOpen: boolean,
  ) {
    this.#variables = variables;
    this.#conditions = conditions;
    this.#validations = validations;
    this.#annotations = annotations;
    this.#failsOpen = failsOpen;
  }

  static async compile(
    { spec = {} }: Pick<ValidatingAdmissionPolicy, 'spec'>,
    eventLoop: EventLoop,
  ): Promise<Validator> {
    const { variables = [], matchConditions = [], validations = [], auditAnnotations = [] } = spec;
    const compiler = PolicyCompiler.of(spec.paramKind, eventLoop);
    for (const variable of variables) await compiler.addVariable(variable);
    const conditions = await PolicyConditions.compile(matchConditions, compiler);
    const compiled: CompiledValidation[] = [];
    for (const validation of validations) {
      const { expression, messageExpression } = validation;
      compiled.push({
        validation,
        expression: await compiler.compile(expression, [BOOL], { authorizer: true }),
        ...(messageExpression && { message: await compiler.compile(messageExpression, [STRING], {}) }),
      });
    }
    const annotations: CompiledAnnotation[] = [];
    for (const annotation of auditAnnotations) {
      const expression = await compiler.compile(annotation.valueExpression, [STRING, NULL], { authorizer: true });
      annotations.push({ annotation, expression });
    }
    return new Validator(compiler.variables, conditions, compiled, annotations, spec.failurePolicy === 'Ignore');
  }

  /** Evaluates the policy for a write. Errors of expressions are part of the result, and not thrown. */
  async validate(input: ExpressionInput, observe: ConditionsObserver): Promise<Verdict> {
    try {
      if (!(await this.#conditions.hold(input, observe))) return nothing;
    } catch (error) {
      // The policy is ignored.
      return this.#failsOpen ? nothing : { ...nothing, decisions: [this.#failure(error)] };
    }
    const { authorizer: _, ...unprivileged } = input;
    try {
      const decisions = await this.#decide(input, unprivileged);
      return { decisions, ...(await this.#annotate(unprivileged)) };
    } catch (error) {
      if (!(error instanceof OutOfBudgetError)) throw error;
      return { ...nothing, decisions: [this.#failure(error)] };
    }
  }

  async #decide(input: ExpressionInput, unprivileged: ExpressionInput): Promise<Decision[]> {
    const evaluation = new Evaluation(input, costBudget, this.#variables);
    const results: ExpressionResult[] = [];
    for (const { expression } of this.#validations) results.push(await evaluation.evaluate(expression));
    const messages = await this.#messages(unprivileged, evaluation.budget);
    return this.#validations.map(({ validation }, index) => {
      const { value, error, seconds } = results[index]!;
      if (error) return this.#failure(error, seconds);
      if (messages instanceof Error)
        return this.#failure(new Error(`failed messageExpression: ${messages.message}`), seconds);
      if (value === true) return { outcome: 'admit', denies: false, message: '', seconds };
      const message =
        messages[index] || validation.message?.trim() || `failed expression: ${validation.expression.trim()}`;
      return { outcome: 'deny', denies: true, message, reason: validation.reason ?? 'Invalid', seconds };
    });
  }

  /** Evaluates all message expressions, also of validations that hold. Unusable messages are empty. */
  async #messages(input: ExpressionInput, budget: number): Promise<readonly string[] | OutOfBudgetError> {
    const evaluation = new Evaluation(input, budget, this.#variables);
    const messages: string[] = [];
    try {
      for (const { message } of this.#validations) {
        const text = message && (await evaluation.evaluate(message)).value;
        messages.push(typeof text === 'string' ? usable(text.trim()) : '');
      }
      return messages;
    } catch (error) {
      if (error instanceof OutOfBudgetError) return error;
      throw error;
    }
  }

  async #annotate(input: ExpressionInput): Promise<Pick<Verdict, 'annotations' | 'annotationErrors'>> {
    const evaluation = new Evaluation(input, costBudget, this.#variables);
    const annotations: [string, string][] = [];
    const annotationErrors: Decision[] = [];
    for (const { annotation, expression } of this.#annotations) {
      const { value, error, seconds } = await evaluation.evaluate(expression);
      if (error) {
        if (!this.#failsOpen) annotationErrors.push(this.#failure(error, seconds));
      } else if (typeof value === 'string') {
        const text = value.trim();
        if (text !== '') annotations.push([annotation.key, shortened(text)]);
      } else if (value !== null) {
        const problem = `valueExpression '${annotation.valueExpression}' resulted in unsupported return type: ${runtimeType(value)}. Return type must be either string or null.`;
        annotationErrors.push({ ...this.#failure(new Error(problem), seconds), denies: true });
      }
    }
    return { annotations, annotationErrors };
  }

  #failure(error: unknown, seconds = 0): Decision {
    const message = messageOf(error);
    return { outcome: 'error', denies: !this.#failsOpen, message, seconds };
  }
}

/** The message, or an empty string when it is too long or has several lines. */
const usable = (message: string): string =>
  Buffer.byteLength(message) > maxMessageBytes || message.includes('\n') ? '' : message;

function shortened(text: string): string {
  const bytes = Buffer.from(text);
  return bytes.length > maxAnnotationBytes ? bytes.subarray(0, maxAnnotationBytes).toString() : text;
}
