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

/** A custom object as it is held in memory: plain JSON. */
export type CustomObject = Record<string, unknown>;

interface PruneOptions {
  /** Fields of metadata with a wrong type are left out instead of being refused: for what comes from the store. */
  readonly dropInvalidMetadata?: boolean;
}

interface ValidateOptions {
  /** The object before the update: what was wrong with it already and did not change is tolerated. */
  readonly old?: CustomObject;
  /** What the scale subresource has against the object: upstream lists it after what the schema has. */
  readonly scaleErrors?: ErrorList;
}

interface CompileOptions {
  /** Where others get their turn while rules judge an object; the thread's own by default. */
  readonly eventLoop?: EventLoop;
  readonly kind: string;
  /** `spec.preserveUnknownFields` of the definition: nothing is pruned. */
  readonly preserveUnknownFields?: boolean;
}

/** Of an object with such errors, rules might read what is not there. */
const blocking: ReadonlySet<FieldErrorType> = new Set<FieldErrorType>([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

const rulesNotChecked =
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';

/** One version's schema of a custom resource, compiled once: all that is done to its objects because of it. */
export class CustomResourceSchema {
  /** The schema that it was compiled from; undefined where there is none. */
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

  /** Whether `default` can change anything. */
  get needsDefaulting(): boolean {
    return this.#structural.hasDefaults;
  }

  /** For FieldManager: list types, keys, atomic maps, where anything may stand. Made when first asked for. */
  get structSchema(): StructSchema {
    const { kind, preserveUnknownFields = false } = this.#options;
    this.#structSchema ??= structSchemaOf(kind, this.openAPIV3Schema, preserveUnknownFields);
    return this.#structSchema;
  }

  /**
   * Brings an object that was decoded, or came from the store or a converter, into its version's form, in place:
   * metadata (the root's and that of embedded resources) as its type says, no unknown fields, no nulls that mean
   * nothing. Returns the paths of fields that were unknown, in upstream's order, for `unknown field "spec.x"`.
   * Throws an Error with upstream's message (for a 400) when metadata, or apiVersion and kind of an embedded resource,
   * have a wrong type.
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
   * Sets defaults, in place: after `prune`, in requests and in what comes from the store. Throws an ApiError (413) for
   * schemas whose defaults multiply beyond bounds.
   */
  default(object: CustomObject): void {
    applyDefaults(object, this.#structural);
  }

  /**
   * What is wrong with an object as upstream words it, in its order: by the schema, in embedded resources, in lists that
   * are sets or maps. Neither the root's own metadata nor rules. Throws an ApiError (413) for what is beyond measure.
   */
  validate(object: CustomObject, { old, scaleErrors = [] }: ValidateOptions = {}): ErrorList {
    return [
      ...(this.#validator?.(object, undefined, old) ?? []),
      ...scaleErrors,
      ...validateEmbeddedResources(object, this.#structural),
      ...this.#validateLists(object, old),
    ];
  }

  /** The same for an update through the status subresource: the schema speaks of `status` only. */
  validateStatus(object: CustomObject, old: CustomObject, scaleErrors: ErrorList = []): ErrorList {
    const ofStatus = Object.hasOwn(object, 'status') ? this.#validateStatus(object.status, old) : [];
    return [...ofStatus, ...scaleErrors, ...this.#validateLists(object, old)];
  }

  /**
   * What the schema's rules have against an object, or why they were not asked: `errors` are all that were found before.
   * `warn` takes what is forgiven since an update did not change it. A promise only where it takes long.
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

  /** Lists that had duplicates before may have them still. */
  #validateLists(object: CustomObject, old: CustomObject | undefined): ErrorList {
    const errors = validateUniqueLists(object, this.#structural);
    return errors.length > 0 && old && validateUniqueLists(old, this.#structural).length > 0 ? [] : errors;
  }
}

/** Reads and compiles a version's schema; throws nothing for schemas that passed validation. */
export const compileCustomResourceSchema = (
  openAPIV3Schema: JSONSchemaProps | undefined,
  options: CompileOptions,
): CustomResourceSchema => new CustomResourceSchema(openAPIV3Schema, options);
