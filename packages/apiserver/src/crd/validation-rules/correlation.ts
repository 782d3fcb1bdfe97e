import { isUnchanged, uncorrelated } from '@coxswain/api';
import type { JSONSchemaProps } from '@coxswain/api/apiextensions/v1';

/** A value and the corresponding one before an update. Errors of rules are tolerated in unchanged values. */
export class Correlation {
  readonly #schema: JSONSchemaProps;
  readonly #value: unknown;
  readonly #old: unknown;
  readonly #parent: Correlation | undefined;
  /** Cached comparisons by new value. */
  readonly #known: Map<object, boolean>;

  private constructor(
    schema: JSONSchemaProps,
    value: unknown,
    old: unknown,
    parent: Correlation | undefined,
    known: Map<object, boolean>,
  ) {
    this.#schema = schema;
    this.#value = value;
    this.#old = old;
    this.#parent = parent;
    this.#known = known;
  }

  static ofRoot(schema: JSONSchemaProps, value: unknown, old: unknown): Correlation {
    return new Correlation(schema, value, old, undefined, new Map());
  }

  /** The correlation of an inner value. When `old` is `uncorrelated`, the closest correlated outer value decides. */
  below(schema: JSONSchemaProps, value: unknown, old: unknown): Correlation {
    if (this.#old === uncorrelated) return this;
    return new Correlation(schema, value, old, this, this.#known);
  }

  get isRoot(): boolean {
    return this.#parent === undefined;
  }

  get isUnchanged(): boolean {
    if (this.#old === uncorrelated) return this.#parent?.isUnchanged ?? false;
    return isUnchanged(this.#schema, this.#value, this.#old, this.#known);
  }
}
