/**
 * The structural form of a schema: which fields and items a value may have. It leaves out `allOf`, `anyOf`, `oneOf` and
 * `not`, because every field in them must be specified outside of them too.
 */
export interface Structural {
  readonly properties: ReadonlyMap<string, Structural>;
  /** The properties that have a default. */
  readonly defaulted: readonly (readonly [key: string, property: Structural])[];
  /** The schema of keys that are not in `properties`: `untyped` when any value is allowed, undefined when no such key is. */
  readonly additional: Structural | 'untyped' | undefined;
  readonly items: Structural | undefined;
  readonly preservesUnknownFields: boolean;
  readonly isEmbeddedResource: boolean;
  readonly isNullable: boolean;
  /** The pruned default. Undefined when there is none, or when it is null. */
  readonly default: unknown;
  /** The number of values in the default. */
  readonly defaultSize: number;
  readonly listType: string | undefined;
  readonly listMapKeys: readonly string[];
  /** Whether this schema or one below it has defaults. Like the two flags below, it lets callers skip whole subtrees. */
  readonly hasDefaults: boolean;
  readonly hasEmbeddedResources: boolean;
  readonly hasUniqueLists: boolean;
}

/** Returns the schema of a key; undefined where there is none, whether any value or none is allowed. */
export function schemaOfKey(schema: Structural, key: string): Structural | undefined {
  const property = schema.properties.get(key);
  return property ?? (typeof schema.additional === 'object' ? schema.additional : undefined);
}

/** The fields of every resource, at the root or embedded. */
export const metaFields: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);
