/** A JSON object in an OpenAPI document. */
export type JsonObject = Record<string, unknown>;

/** The differences between definitions in OpenAPI v2 and v3. */
export interface Dialect {
  /** The prefix of a definition's name in references. */
  readonly refPrefix: string;
  /** Whether fields have defaults. */
  readonly defaults: boolean;
  /** Whether `$ref` may have sibling keys. Otherwise it is wrapped in `allOf`. */
  readonly refsHaveNeighbours: boolean;
  /** Whether `oneOf` exists. */
  readonly oneOf: boolean;
}

export const v2: Dialect = { refPrefix: '#/definitions/', defaults: false, refsHaveNeighbours: true, oneOf: false };

export const v3: Dialect = {
  refPrefix: '#/components/schemas/',
  defaults: true,
  refsHaveNeighbours: false,
  oneOf: true,
};
