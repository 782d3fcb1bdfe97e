/**
 * A schema as the engines that walk through values need it: what may stand where. Alternatives are not in it, since
 * whatever they speak of is specified outside of them too.
 */
export interface Structural {
  readonly properties: ReadonlyMap<string, Structural>;
  /** The properties that have a default. */
  readonly defaulted: readonly (readonly [key: string, property: Structural])[];
  /** Of keys that no property names: a schema, `untyped` for anything, undefined for none at all. */
  readonly additional: Structural | 'untyped' | undefined;
  readonly items: Structural | undefined;
  readonly preservesUnknownFields: boolean;
  readonly isEmbeddedResource: boolean;
  readonly isNullable: boolean;
  /** Without fields that the schema does not know. Undefined for none; null is none. */
  readonly default: unknown;
  /** How many values the default consists of. */
  readonly defaultSize: number;
  readonly listType: string | undefined;
  readonly listMapKeys: readonly string[];
  /** Whether something of the sort stands here or anywhere below: engines need not look where it does not. */
  readonly hasDefaults: boolean;
  readonly hasEmbeddedResources: boolean;
  readonly hasUniqueLists: boolean;
}

/** The schema of a key; undefined where there is none, be anything allowed or nothing. */
export function schemaOfKey(schema: Structural, key: string): Structural | undefined {
  const property = schema.properties.get(key);
  return property ?? (typeof schema.additional === 'object' ? schema.additional : undefined);
}

/** What every resource has, wherever its schema stands. */
export const metaFields: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);
