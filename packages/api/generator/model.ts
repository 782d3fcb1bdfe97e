/** A type as the generator gathers it from several sources. */
export interface TypeModel {
  /** Such as `core.v1.PodSpec`. */
  readonly key: string;
  /** Such as `core.v1`. */
  readonly pkg: string;
  readonly name: string;
  readonly atomic: boolean;
  readonly fields: readonly FieldModel[];
}

export interface FieldModel {
  readonly name: string;
  /** Set where it is not `name` with a capital first letter. */
  readonly goName?: string;
  readonly number: number;
  readonly type: TypeExpression;
  readonly pointer: boolean;
  readonly omitEmpty: boolean;
  readonly omitZero: boolean;
  readonly inline: boolean;
  readonly required: boolean;
  readonly patchStrategy?: string;
  readonly mergeKey?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
}

export type TypeExpression =
  | { readonly form: 'scalar'; readonly scalar: string; readonly goName?: string }
  | { readonly form: 'struct'; readonly key: string; readonly override?: 'atomic' | 'granular' }
  | {
      readonly form: 'list';
      readonly items: TypeExpression;
      readonly keys: readonly string[];
      readonly set: boolean;
      readonly wrappedAs?: string;
    }
  | { readonly form: 'map'; readonly values: TypeExpression; readonly atomic: boolean; readonly goName?: string };
