/** A piece of an OpenAPI document. */
export type JsonObject = Record<string, unknown>;

/** Where OpenAPI v2 and v3 say the same thing in other words. */
export interface Dialect {
  /** What stands before a definition's name in a reference. */
  readonly refPrefix: string;
  /** Whether fields say what they are when nobody sets them. */
  readonly defaults: boolean;
  /** Whether a reference may have neighbours; otherwise it goes into an `allOf` of its own. */
  readonly refsHaveNeighbours: boolean;
  /** Whether a type can be one of two. */
  readonly oneOf: boolean;
}

export const v2: Dialect = { refPrefix: '#/definitions/', defaults: false, refsHaveNeighbours: true, oneOf: false };

export const v3: Dialect = {
  refPrefix: '#/components/schemas/',
  defaults: true,
  refsHaveNeighbours: false,
  oneOf: true,
};
