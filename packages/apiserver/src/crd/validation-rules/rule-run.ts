import { oldItems, oldOfKey, uncorrelated } from '@coxswain/api';
import type { ValidationRule } from '@coxswain/api/apiextensions/v1';
import {
  type ErrorList,
  type FieldError,
  invalid,
  isJsonObject,
  omittedValue,
  Path,
  quote,
} from '@coxswain/apimachinery';
import { type EventLoop, nextTurn, systemEventLoop } from '@coxswain/apimachinery/turns';
import {
  type Bindings,
  type CelValue,
  type EvaluationResult,
  fromJson,
  Optional,
  PER_CALL_COST_LIMIT,
  type Program,
} from '@coxswain/cel';
import type { CompiledProgram, CompiledRule } from './compiled-rule.ts';
import type { Correlation } from './correlation.ts';
import { errorOf, evaluationError, isCostLimit, messageOf, outOfBudget } from './rule-errors.ts';
import type { RuleNode } from './rule-node.ts';

/** Maximum cost of all rules for one object. */
export const runtimeCostBudget = 10_000_000;

const maxMessageBytes = 5 * 1024;

/** How long to work before yielding to the event loop. */
const sliceMs = 5;

/** Number of visited values between two checks of the time, as values without rules also take some. */
const visitsBetweenChecks = 512;

/** Differs from upstream, which has no limit on the number of errors of an object. */
const maxErrors = 10_000;
const maxErrorLength = 1_000_000;

interface RuleRunOptions {
  /** Default: `runtimeCostBudget`. */
  readonly budget?: number;
  /** For one evaluation. Default: PER_CALL_COST_LIMIT. */
  readonly callLimit?: number;
  /** Measures the time, and is yielded to. Default: the system event loop. */
  readonly eventLoop?: EventLoop;
  /** Receives errors that are tolerated because the value did not change. */
  readonly warn?: (warning: string) => void;
}

/** A value to validate. */
interface JudgedValue {
  readonly path: Path | undefined;
  readonly value: unknown;
  /** The value before an update; undefined or null without one. */
  readonly old: unknown;
  /** Absent when no errors are tolerated. */
  readonly correlation?: Correlation | undefined;
}

/** A pending evaluation or compilation; undefined only yields to the event loop. */
type Waiting = Promise<EvaluationResult | undefined> | undefined;
/** Is resumed with the result of the pending evaluation. */
type Steps<T = void> = Generator<Waiting, T, EvaluationResult | undefined>;

/** One validation of one value by the rules of its schema. */
export class RuleRun {
  readonly errors: ErrorList = [];
  /** Negative when no more rules must be evaluated. */
  budget: number;
  readonly #callLimit: number;
  readonly #eventLoop: EventLoop;
  readonly #warn: ((warning: string) => void) | undefined;
  #sliceEnd = 0;
  #errorLength = 0;
  #warnings = 0;
  #visited = 0;

  constructor({
    budget = runtimeCostBudget,
    callLimit = PER_CALL_COST_LIMIT,
    eventLoop = systemEventLoop,
    warn,
  }: RuleRunOptions = {}) {
    this.budget = budget;
    this.#eventLoop = eventLoop;
    this.#callLimit = callLimit;
    this.#warn = warn;
  }

  /** Validates the value. Returns a promise only when that takes longer than a few milliseconds. */
  judge(node: RuleNode, judged: JudgedValue): undefined | Promise<void> {
    const steps = this.#visit(node, judged);
    this.#sliceEnd = this.#eventLoop.workedMs() + sliceMs;
    const first = steps.next();
    return first.done ? undefined : this.#goOn(steps, first.value);
  }

  async #goOn(steps: Steps, wait: Waiting): Promise<void> {
    let pending = wait;
    for (;;) {
      const result = pending === undefined ? await letOthersRun(this.#eventLoop) : await pending;
      this.#sliceEnd = this.#eventLoop.workedMs() + sliceMs;
      const step = steps.next(result);
      if (step.done) return;
      pending = step.value;
    }
  }

  *#visit(node: RuleNode, judged: JudgedValue): Steps {
    const { value, path, correlation } = judged;
    if (value === null || value === undefined) return;
    if (++this.#visited % visitsBetweenChecks === 0 && this.#eventLoop.workedMs() > this.#sliceEnd) yield undefined;
    if (node.rules.length > 0) yield* this.#evaluateAll(node, judged);
    if (this.budget < 0) return;
    const old = judged.old ?? undefined;
    if (Array.isArray(value)) {
      if (!node.items) return;
      const oldOf = Array.isArray(old) ? oldItems(node.schema, old) : undefined;
      for (let i = 0; i < value.length && this.budget >= 0; i++) {
        const before = oldOf ? oldOf(value[i]) : uncorrelated;
        yield* this.#visit(node.items, {
          path: (path ?? nowhere).index(i),
          value: value[i],
          old: before === uncorrelated ? undefined : before,
          correlation: correlation?.below(node.items.schema, value[i], before),
        });
      }
    } else if (isJsonObject(value)) {
      if (node.additional) {
        for (const name of Object.keys(value)) {
          if (this.budget < 0) return;
          yield* this.#visit(node.additional, this.#field(node.additional, judged, value, name, true));
        }
      }
      for (const [name, property] of node.properties) {
        if (this.budget < 0) return;
        if (Object.hasOwn(value, name)) {
          yield* this.#visit(property, this.#field(property, judged, value, name, false));
        }
      }
    }
  }

  #field(
    { schema }: RuleNode,
    { path, old, correlation }: JudgedValue,
    object: Record<string, unknown>,
    name: string,
    isKey: boolean,
  ): JudgedValue {
    const value = object[name];
    const before = oldOfKey(old, name);
    // apiVersion and kind of the root are not correlated, since both objects were converted.
    const isTypeMeta = correlation?.isRoot && (name === 'apiVersion' || name === 'kind');
    return {
      path: isKey ? (path ?? nowhere).key(name) : path ? path.child(name) : Path.of(name),
      value,
      old: before === uncorrelated ? undefined : before,
      correlation: isTypeMeta ? undefined : correlation?.below(schema, value, before),
    };
  }

  *#evaluateAll(node: RuleNode, judged: JudgedValue): Steps {
    const { path } = judged;
    const { type = '' } = node.schema;
    if (this.budget <= 0) {
      this.#stop(invalid(path, type, outOfBudget));
      return;
    }
    for (const rule of node.rules) if (!rule.isCompiled) yield rule.compile(this.#eventLoop);
    const rules = node.rules.map(({ compiled }) => compiled);
    const hasOld = judged.old !== undefined && judged.old !== null;
    const bindings = bindingsOf(node, judged, hasOld && rules.some((rule) => rule?.usesOldSelf));
    for (const compiled of rules) {
      if (!compiled) continue;
      const { program, error } = compiled.rule;
      if (!program) {
        this.#add(invalid(path, type, `rule compile error: ${error}`));
        continue;
      }
      const isOptional = compiled.source.optionalOldSelf === true;
      if (compiled.usesOldSelf && !hasOld && !isOptional) continue;
      const ownBindings = isOptional ? bindings.optional : bindings.plain;
      const result = yield* this.#evaluate(program, ownBindings);
      if (result.cost > this.budget) {
        this.#stop(invalid(path, type, outOfBudget));
        return;
      }
      this.budget -= result.cost;
      if (result.error) {
        const failed = evaluationError(path, type, result.error.message, compiled.source);
        if (isCostLimit(result.error)) this.#stop(failed);
        else this.#add(failed);
        if (this.budget < 0) return;
      } else if (result.value !== true) {
        yield* this.#complain(compiled, judged, type, ownBindings);
        if (this.budget < 0) return;
      }
    }
  }

  *#evaluate(program: Program, bindings: Bindings): Steps<EvaluationResult> {
    if (this.#eventLoop.workedMs() > this.#sliceEnd) yield undefined;
    const result = program.evaluateAsync(bindings, { costLimit: this.#callLimit, eventLoop: this.#eventLoop });
    return result instanceof Promise ? (yield result)! : result;
  }

  /** Adds the error for a value that violates a rule. */
  *#complain(
    compiled: CompiledRule,
    { path, value, correlation }: JudgedValue,
    type: string,
    bindings: Bindings,
  ): Steps {
    const place = below(path, compiled.fieldPath);
    const add = (error: FieldError): void => {
      if (compiled.usesOldSelf || !correlation?.isUnchanged) this.#add(error);
      else if (++this.#warnings <= maxErrors) this.#warn?.(String(error));
    };
    let message: string | undefined;
    if (compiled.messageExpression?.program) {
      const outcome = yield* this.#message(compiled.messageExpression, bindings, compiled.source);
      if (outcome.fatal !== undefined) {
        add(invalid(place, type, outcome.fatal));
        this.budget = -1;
        return;
      }
      message = outcome.message;
    }
    const shown = type === 'object' || type === 'array' ? omittedValue : value;
    add(errorOf(compiled.source, place, shown, message ?? messageOf(compiled.source)));
  }

  /** Evaluates a messageExpression; empty without a valid message. `fatal`: no more rules must be evaluated. */
  *#message(
    { program }: CompiledProgram & { readonly error?: undefined },
    bindings: Bindings,
    { messageExpression = '' }: ValidationRule,
  ): Steps<{ readonly fatal?: string; readonly message?: string }> {
    const result = yield* this.#evaluate(program, bindings);
    if (result.cost > this.budget) {
      return {
        fatal:
          'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run',
      };
    }
    if (isCostLimit(result.error)) {
      const about = quote(messageExpression);
      return {
        fatal: `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${about}`,
      };
    }
    this.budget -= result.cost;
    const text = typeof result.value === 'string' ? result.value.trim() : '';
    const isMessage = text !== '' && !text.includes('\n') && Buffer.byteLength(text) <= maxMessageBytes;
    return isMessage ? { message: text } : {};
  }

  #add(error: FieldError): void {
    this.errors.push(error);
    this.#errorLength += error.field.length + error.detail.length;
    if (this.errors.length >= maxErrors || this.#errorLength > maxErrorLength) this.budget = -1;
  }

  #stop(error: FieldError): void {
    this.#add(error);
    this.budget = -1;
  }
}

const nowhere = Path.of('');

function below(path: Path | undefined, fieldPath: string): Path | undefined {
  if (fieldPath === '') return path;
  return path ? path.child(fieldPath) : Path.of(fieldPath);
}

async function letOthersRun(eventLoop: EventLoop): Promise<undefined> {
  await nextTurn(eventLoop);
  return undefined;
}

interface RuleBindings {
  readonly plain: Bindings;
  /** For rules with `optionalOldSelf`. */
  readonly optional: Bindings;
}

/** The values are converted on first use. */
function bindingsOf(node: RuleNode, { value, old }: JudgedValue, hasOldSelf: boolean): RuleBindings {
  let self: CelValue | undefined;
  let oldSelf: CelValue | undefined;
  const selfValue = (): CelValue => {
    self ??= fromJson(value, node.values);
    return self;
  };
  const oldValue = (): CelValue | undefined => {
    if (hasOldSelf) oldSelf ??= fromJson(old, node.values);
    return oldSelf;
  };
  return {
    plain: (name) => (name === 'self' ? selfValue() : oldValue()),
    optional: (name) => {
      if (name === 'self') return selfValue();
      const before = oldValue();
      return before === undefined ? Optional.NONE : Optional.of(before);
    },
  };
}
