import { resolveFieldPath } from '@coxswain/api';
import type { JSONSchemaProps, ValidationRule } from '@coxswain/api/apiextensions/v1';
import type { EventLoop } from '@coxswain/apimachinery/turns';
import {
  BOOL,
  CelCompileError,
  CelEnvironment,
  CelProgramError,
  type CelType,
  type CompiledExpression,
  optionalOf,
  type Program,
  type SizeEstimator,
  STRING,
  sameType,
} from '@coxswain/cel';
import { kubernetesLibraries } from '@coxswain/cel/library';
import { celTypeOf, type SchemaType, sizesWithin } from '../../cel-types/schema-type.ts';

/** A compiled expression, or upstream's error message. */
export type CompiledProgram =
  | { readonly program: Program; readonly maxCost: number; readonly error?: undefined }
  | { readonly program?: undefined; readonly maxCost: 0; readonly error: string };

/** A compiled rule. Errors are in its fields, not thrown. */
export interface CompiledRule {
  readonly source: ValidationRule;
  readonly rule: CompiledProgram;
  /** Whether it compares with the value before an update. */
  readonly usesOldSelf: boolean;
  /** Absent when the rule has none, or has an error itself. */
  readonly messageExpression?: CompiledProgram;
  /** The path below the value where errors are reported: `.spec.size`. */
  readonly fieldPath: string;
}

let base: CelEnvironment | undefined;

/** Created once, on first use, as the libraries are large. */
function baseEnvironment(): CelEnvironment {
  base ??= new CelEnvironment({ libraries: kubernetesLibraries });
  return base;
}

/** What rules of one schema share: the types of `self` and `oldSelf`. */
export class RuleScope {
  readonly #schema: JSONSchemaProps;
  readonly #self: CelType;
  readonly #sizes: SizeEstimator;
  #environment: CelEnvironment | undefined;
  #optionalEnvironment: CelEnvironment | undefined;

  constructor(schema: JSONSchemaProps, type: SchemaType) {
    this.#schema = schema;
    // Upstream has a number that changes with every update of the definition, so it cannot be reproduced.
    this.#self = celTypeOf(type, 'selfType1');
    this.#sizes = sizesWithin(type);
  }

  /**
   * Yields to the event loop, as large rules take long. Returns undefined for an empty rule, which validation reports.
   */
  async compile(source: ValidationRule, eventLoop: EventLoop): Promise<CompiledRule | undefined> {
    const { rule = '', messageExpression, fieldPath, optionalOldSelf } = source;
    if (rule.trim() === '') return undefined;
    const environment = optionalOldSelf ? this.#withOptionalOldSelf() : this.#withOldSelf();
    let usesOldSelf = false;
    const compile = (text: string, wanted: Wanted): Promise<CompiledProgram> => this.#compile(text, wanted, eventLoop);
    const compiled = await compile(rule, {
      environment,
      type: BOOL,
      failed: '',
      wrongType: 'cel expression must evaluate to a bool',
      accept: ({ variables }) => {
        usesOldSelf = variables.has('oldSelf');
      },
    });
    if (compiled.error !== undefined) return { source, rule: compiled, usesOldSelf, fieldPath: '' };
    return {
      source,
      rule: compiled,
      usesOldSelf,
      ...(messageExpression && {
        messageExpression: await compile(messageExpression, {
          environment,
          type: STRING,
          failed: 'messageExpression ',
          wrongType: 'messageExpression must evaluate to a string',
        }),
      }),
      fieldPath: fieldPath ? this.#fieldPath(fieldPath) : '',
    };
  }

  #fieldPath(text: string): string {
    const target = resolveFieldPath(text, this.#schema, { allowBrackets: true });
    return typeof target === 'object' ? target.text : '';
  }

  #withOldSelf(): CelEnvironment {
    this.#environment ??= baseEnvironment().extend({ variables: { self: this.#self, oldSelf: this.#self } });
    return this.#environment;
  }

  #withOptionalOldSelf(): CelEnvironment {
    const variables = { self: this.#self, oldSelf: optionalOf(this.#self) };
    this.#optionalEnvironment ??= baseEnvironment().extend({ variables });
    return this.#optionalEnvironment;
  }

  async #compile(text: string, wanted: Wanted, eventLoop: EventLoop): Promise<CompiledProgram> {
    const fail = (error: string): CompiledProgram => ({ maxCost: 0, error });
    try {
      const expression = await wanted.environment.compileAsync(text, eventLoop);
      if (!sameType(expression.type, wanted.type)) return fail(wanted.wrongType);
      wanted.accept?.(expression);
      const program = await expression.programAsync(eventLoop);
      const { max: maxCost } = await expression.estimateCostAsync(this.#sizes, eventLoop);
      return { program, maxCost };
    } catch (error) {
      if (error instanceof CelCompileError) return fail(`${wanted.failed}compilation failed: ${error.message}`);
      if (!(error instanceof CelProgramError)) throw error;
      return fail(`${wanted.failed || 'program '}instantiation failed: ${error.message}`);
    }
  }
}

interface Wanted {
  readonly environment: CelEnvironment;
  readonly type: CelType;
  /** The prefix of error messages. */
  readonly failed: string;
  readonly wrongType: string;
  /** Called with the expression when its type is right. */
  readonly accept?: (expression: CompiledExpression) => void;
}
