import type { ErrorList, Path } from '@coxswain/apimachinery';
import type { JSONSchemaProps } from '../../generated/apiextensions/v1.ts';

/** Checks of validation rules (`x-kubernetes-validations`). Implemented by the API server, which can compile and evaluate CEL. */
export interface RuleChecks {
  /** Returns the errors of the rules of a schema that is valid except for the schemas in `unsound`. */
  validateRules(schema: JSONSchemaProps, path: Path, options: RuleCheckOptions): ErrorList;
  /** Evaluates the rules of a schema and of those inside it on the schema's default. */
  validateDefault(schema: JSONSchemaProps, path: Path, options: DefaultCheckOptions): DefaultCheck;
}

export interface RuleCheckOptions {
  /** Schemas with errors, in themselves or in a nested schema: their rules are not checked. */
  readonly unsound: ReadonlySet<JSONSchemaProps>;
  /** The stored schema is the same: the cost limit per rule does not apply. */
  readonly isUnchanged: boolean;
}

export interface DefaultCheckOptions {
  /** The schema is that of a resource with apiVersion, kind and metadata. */
  readonly isResource: boolean;
  /** The cost budget of the evaluation. */
  readonly budget: number;
}

export interface DefaultCheck {
  readonly errors: ErrorList;
  /** The remaining budget; below zero when it is exceeded. */
  readonly budget: number;
}
