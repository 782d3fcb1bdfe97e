import {
  applyDefaults,
  coerceEmbeddedResources,
  compileSchemaValidator,
  newStructural,
  prune,
  pruneNulls,
  readObjectMeta,
  type SchemaValidator,
  type Structural,
  validateEmbeddedResources,
  validateUniqueLists,
} from '@coxswain/api';
import type { JSONSchemaProps } from '@coxswain/api/apiextensions/v1';
import { type ErrorList, type FieldErrorType, invalid, Path, type StructSchema } from '@coxswain/apimachinery';
import { type EventLoop, systemEventLoop } from '@coxswain/apimachinery/turns';
import { hasRules, type RuleValidator } from '../validation-rules/index.ts';
import { structSchemaOf } from './struct-schema.ts';

/** A custom object in memory: plain JSON. */
export type CustomObject = Record<string, unknown>;

interface PruneOptions {
  /** Drops fields of metadata with a wrong type instead of throwing. For objects from the store. */
  readonly dropInvalidMetadata?: boolean;
}

interface ValidateOptions {
  /** The object before the update. Errors in values that did not change are tolerated. */
  readonly old?: CustomObject;
  /** Errors of the scale subresource, which upstream lists after those of the schema. */
  readonly scaleErrors?: ErrorList;
}

interface CompileOptions {
  /** Yields while rules are evaluated. Default: the system event loop. */
  readonly eventLoop?: EventLoop;
  readonly kind: string;
  /** `spec.preserveUnknownFields` of the definition: no fields are pruned. */
  readonly preserveUnknownFields?: boolean;
}

/** With these errors, rules could access missing fields or values of other types, and are not evaluated. */
const blocking: ReadonlySet<FieldErrorType> = new Set<FieldErrorType>([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

const rulesNotChecked =
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';

/** The compiled schema of one version of a custom resource: pruning, defaulting and validation of its objects. */
export class CustomResourceSchema {
  /** The schema that it was compiled from, if any. */
  readonly openAPIV3Schema: JSONSchemaProps | undefined;
  readonly #options: CompileOptions;
  readonly #structural: Structural;
  readonly #validator: SchemaValidator | undefined;
  #statusValidator: SchemaValidator | undefined;
  readonly #hasRules: boolean;
  #ruleValidator: RuleValidator | undefined;
  #structSchema: StructSchema | undefined;

  constructor(openAPIV3Schema: JSONSchemaProps | undefined, options: CompileOptions) {
    this.openAPIV3Schema = openAPIV3Schema;
    this.#options = options;
    this.#structural = newStructural(openAPIV3Schema ?? {});
    this.#hasRules = openAPIV3Schema !== undefined && hasRules(openAPIV3Schema);
    this.#validator = openAPIV3Schema && compileSchemaValidator(openAPIV3Schema);
  }

  /** Whether `default` may change an object. */
  get needsDefaulting(): boolean {
    return this.#structural.hasDefaults;
  }

  /** For FieldManager: list types, keys, atomic maps and fields of any type. Computed on first use. */
  get structSchema(): StructSchema {
    const { kind, preserveUnknownFields = false } = this.#options;
    this.#structSchema ??= structSchemaOf(kind, this.openAPIV3Schema, preserveUnknownFields);
    return this.#structSchema;
  }

  /**
   * Brings an object from a request, the store or a converter into its version's form, in place: metadata of the root
   * and of embedded resources according to its type, without unknown fields and meaningless nulls. Returns the paths of
   * unknown fields in upstream's order, for `unknown field "spec.x"`. Throws an Error with upstream's message (for a
   * 400) when metadata, or apiVersion and kind of an embedded resource, have a wrong type.
   */
  prune(object: CustomObject, { dropInvalidMetadata = false }: PruneOptions = {}): readonly string[] {
    const schema = this.#structural;
    const hasMetadata = Object.hasOwn(object, 'metadata');
    const { metadata, unknown } = hasMetadata
      ? readObjectMeta(object.metadata, dropInvalidMetadata)
      : { metadata: undefined, unknown: [] };
    const paths = unknown.map((field) => `metadata.${field}`);
    if (!this.#options.preserveUnknownFields) {
      paths.push(...prune(object, schema, true));
      pruneNulls(object, schema);
    }
    paths.push(...coerceEmbeddedResources(object, schema, dropInvalidMetadata));
    if (hasMetadata) object.metadata = metadata;
    return paths;
  }

  /**
   * Sets defaults in place. Must follow `prune`, for objects from requests and from the store. Throws an ApiError (413)
   * when the defaults of the schema exceed a limit.
   */
  default(object: CustomObject): void {
    applyDefaults(object, this.#structural);
  }

  /**
   * Returns the errors of an object, with upstream's messages and order: of the schema, embedded resources, and lists
   * that are sets or maps. Excludes the root's metadata and rules. Throws an ApiError (413) when validation exceeds a
   * limit.
   */
  validate(object: CustomObject, { old, scaleErrors = [] }: ValidateOptions = {}): ErrorList {
    return [
      ...(this.#validator?.(object, undefined, old) ?? []),
      ...scaleErrors,
      ...validateEmbeddedResources(object, this.#structural),
      ...this.#validateLists(object, old),
    ];
  }

  /** Like `validate` for an update of the status subresource: only `status` is validated against the schema. */
  validateStatus(object: CustomObject, old: CustomObject, scaleErrors: ErrorList = []): ErrorList {
    const ofStatus = Object.hasOwn(object, 'status') ? this.#validateStatus(object.status, old) : [];
    return [...ofStatus, ...scaleErrors, ...this.#validateLists(object, old)];
  }

  /**
   * Evaluates the validation rules. `errors`: all errors found before, which may prevent it. `warn` receives errors
   * that are tolerated because the value did not change. Returns a promise only when it takes long.
   */
  validateRules(
    object: CustomObject,
    old: CustomObject | undefined,
    errors: ErrorList,
    warn?: (warning: string) => void,
  ): ErrorList | Promise<ErrorList> {
    if (!this.#hasRules) return [];
    if (errors.some(({ type }) => blocking.has(type))) return [invalid(undefined, null, rulesNotChecked)];
    if (this.#ruleValidator) return this.#ruleValidator(object, old, warn);
    return this.#loadRules().then((validate) => validate(object, old, warn));
  }

  async #loadRules(): Promise<RuleValidator> {
    const { compileRuleValidator } = await import('../validation-rules/custom-resource-rules.ts');
    this.#ruleValidator ??= compileRuleValidator(
      this.openAPIV3Schema ?? {},
      this.#options.eventLoop ?? systemEventLoop,
    );
    return this.#ruleValidator;
  }

  #validateStatus(status: unknown, old: CustomObject): ErrorList {
    const { properties } = this.openAPIV3Schema ?? {};
    if (!properties || !Object.hasOwn(properties, 'status')) return [];
    this.#statusValidator ??= compileSchemaValidator(properties.status!);
    const before = Object.hasOwn(old, 'status') ? old.status : undefined;
    return this.#statusValidator(status, Path.of('status'), before);
  }

  /** Tolerates duplicates when the old object has some. */
  #validateLists(object: CustomObject, old: CustomObject | undefined): ErrorList {
    const errors = validateUniqueLists(object, this.#structural);
    return errors.length > 0 && old && validateUniqueLists(old, this.#structural).length > 0 ? [] : errors;
  }
}

/** Compiles the schema of a version. Does not throw for schemas that passed validation. */
export const compileCustomResourceSchema = (
  openAPIV3Schema: JSONSchemaProps | undefined,
  options: CompileOptions,
): CustomResourceSchema => new CustomResourceSchema(openAPIV3Schema, options);
