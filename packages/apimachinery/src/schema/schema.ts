/**
 * A type as data. Every generic engine (normalising, protobuf, strategic merge, apply, pruning, tables) is compiled from this one
 * structure. The built-in catalogue creates it from its tables; a CustomResourceDefinition produces the same structure at run time.
 *
 * Objects are held in memory in their JSON form only. A schema specifies what upstream's Go type would make of it, including which fields
 * are written even when they are unset.
 */
export type Schema = ScalarSchema | StructSchema | ListSchema | MapSchema | SchemaOrSchema;

/**
 * - `quantity`, `time`, `microTime`, `duration`, `intOrString`: strings (or numbers) with a canonical form
 * - `any`: arbitrary JSON; on the protobuf wire a message holding the JSON text (`JSON` of apiextensions)
 * - `rawObject`: an embedded object of any kind (`runtime.RawExtension`), likewise
 * - `unknownObject`: `runtime.Unknown`, only in audit events
 * - `fieldsV1`: the field sets of managedFields
 * - `bytes`: base64 in JSON
 */
export type ScalarKind =
  | 'string'
  | 'bytes'
  | 'bool'
  | 'int32'
  | 'int64'
  | 'double'
  | 'quantity'
  | 'intOrString'
  | 'time'
  | 'microTime'
  | 'duration'
  | 'any'
  | 'rawObject'
  | 'unknownObject'
  | 'fieldsV1';

export interface ScalarSchema {
  readonly kind: ScalarKind;
  /**
   * The name of the Go type if it has one (`RestartPolicy`); decoding errors print it. It includes the package (`v1.ResourceName`) where
   * that is not the package of the enclosing struct.
   */
  readonly goName?: string;
  readonly enum?: readonly string[];
  readonly nullable?: boolean;
}

export interface ListSchema {
  readonly kind: 'list';
  readonly items: Schema;
  /** How apply merges it. Upstream's default is atomic. */
  readonly listType: 'atomic' | 'set' | 'map';
  /** The keys of a `map` list. */
  readonly mapKeys: readonly string[];
  /** A named list that is a message of its own on the protobuf wire (`Verbs`, `ExtraValue`). */
  readonly wrapped?: boolean;
  /** The name of the Go type where it has one (`Verbs`); decoding errors print it. */
  readonly goName?: string;
  readonly nullable?: boolean;
}

export interface MapSchema {
  readonly kind: 'map';
  readonly values: Schema;
  readonly atomic: boolean;
  /** The name of the Go type where it has one (`ResourceList`); decoding errors print it. */
  readonly goName?: string;
  readonly nullable?: boolean;
}

/** `JSONSchemaPropsOrBool`, `…OrArray`, `…OrStringArray`: a schema, or the alternative. */
export interface SchemaOrSchema {
  readonly kind: 'schemaOr';
  readonly alternative: 'bool' | 'array' | 'stringArray';
  readonly schema: StructSchema;
  readonly nullable?: boolean;
}

export interface StructSchema {
  readonly kind: 'struct';
  /** The Go type's name, `PodSpec`. */
  readonly name: string;
  /** Unique: `core.v1.PodSpec`. */
  readonly fullName: string;
  /** Fields as declared; an inlined struct is one entry here, as it is one field on the protobuf wire. */
  readonly declared: readonly Field[];
  /** Fields as JSON sees them, inlined structs flattened, in declaration order. */
  readonly fields: ReadonlyMap<string, Field>;
  /** Apply treats the whole as one value (`x-kubernetes-map-type: atomic`). */
  readonly atomic: boolean;
  /** Undeclared fields are kept as they are (custom resources). */
  readonly preserveUnknownFields?: boolean;
  /** An object with apiVersion, kind and metadata of its own (custom resources). */
  readonly embeddedResource?: boolean;
  readonly nullable?: boolean;
}

export interface Field {
  /** The JSON name. */
  readonly name: string;
  /** The name in Go, where it is not the JSON name with a capital letter. */
  readonly goName?: string;
  readonly schema: Schema;
  /** Protobuf field number; 0 when the field is not on that wire (apiVersion and kind travel in the envelope). */
  readonly number: number;
  /** A Go pointer: absent and zero are different values. */
  readonly pointer: boolean;
  /** Go's `omitempty`: a zero value, an empty list or map is omitted. Has no effect on a struct that is not a pointer. */
  readonly omitEmpty: boolean;
  /** Go's `omitzero`: omitted when the whole value is zero, structs included. */
  readonly omitZero: boolean;
  /** The struct's fields are members of the parent's JSON object. */
  readonly inline: boolean;
  /** OpenAPI calls it required. */
  readonly required: boolean;
  /** Strategic merge: `merge`, `replace` and/or `retainKeys`. */
  readonly patchStrategy: readonly string[];
  /** Strategic merge: the key of a merged list. */
  readonly mergeKey?: string;
  /** OpenAPI's default, which apply needs for absent list keys (`protocol: TCP`). */
  readonly default?: unknown;
}
