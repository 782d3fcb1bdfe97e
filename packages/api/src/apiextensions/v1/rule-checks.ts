import type { ErrorList, Path } from '@coxswain/apimachinery';
import type { JSONSchemaProps } from '../../generated/apiextensions/v1.ts';

/** What is to be said of rules (`x-kubernetes-validations`) by those who can compile and evaluate them. */
export interface RuleChecks {
  /** All that is wrong with the rules of a schema that is otherwise good, but for what stands in `unsound`. */
  validateRules(schema: JSONSchemaProps, path: Path, options: RuleCheckOptions): ErrorList;
  /** What the rules of a schema, and of those inside it, have against its default. */
  validateDefault(schema: JSONSchemaProps, path: Path, options: DefaultCheckOptions): DefaultCheck;
}

export interface RuleCheckOptions {
  /** Schemas with errors, in themselves or inside: their rules are not looked at. */
  readonly unsound: ReadonlySet<JSONSchemaProps>;
  /** The schema is stored as it is: no rule of it is too expensive by itself. */
  readonly isUnchanged: boolean;
}

export interface DefaultCheckOptions {
  /** The schema is that of an object with metadata of its own. */
  readonly isResource: boolean;
  /** What evaluating may cost. */
  readonly budget: number;
}

export interface DefaultCheck {
  readonly errors: ErrorList;
  /** What is left of the budget; below zero when it is used up. */
  readonly budget: number;
}
