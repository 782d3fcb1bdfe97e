import type { JsonObject } from './dialect.ts';

/** The part of a provider in the single OpenAPI v2 document. */
export interface V2Part {
  readonly paths: JsonObject;
  readonly definitions: JsonObject;
  /** By names with a hash of the parameter, so that parameters of different parts never conflict. */
  readonly parameters: JsonObject;
}

/**
 * Provides the documents of some paths: those of all built-in group versions, or of group versions of custom resources. Documents are
 * generated on request and cached by the caller.
 */
export interface OpenApiProvider {
  /** True when its documents never change, so that their texts can be cached. */
  readonly isFixed?: boolean;
  /**
   * Returns the paths of the v3 documents (`apis/apps/v1`) with their hashes in upper case hexadecimal. A hash must change if and only
   * if the document changes, because clients cache documents by it. Must be cheap: the index needs all hashes.
   */
  documents(): Promise<ReadonlyMap<string, string>>;
  /** Returns a v3 document. Called only with paths that `documents` returned. */
  v3(path: string): Promise<JsonObject>;
  v2(): Promise<V2Part>;
}
