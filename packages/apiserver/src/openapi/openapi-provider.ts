import type { JsonObject } from './dialect.ts';

/** What a provider adds to the one OpenAPI v2 document. */
export interface V2Part {
  readonly paths: JsonObject;
  readonly definitions: JsonObject;
  /** By names that are hashes of what they name, so that parts cannot disagree. */
  readonly parameters: JsonObject;
}

/**
 * Knows the documents of some paths: the built-in group versions together, or one group version of custom resources.
 * Documents are asked for when a client wants them, and kept by the one who asks.
 */
export interface OpenApiProvider {
  /** Its documents never change, so that what was made of them may be kept. */
  readonly isFixed?: boolean;
  /**
   * The v3 documents by path (`apis/apps/v1`), each with a hash in capital hexadecimal digits that changes when the
   * document does, and only then: clients keep documents by it. Must be cheap: all documents of the index are asked.
   */
  documents(): Promise<ReadonlyMap<string, string>>;
  /** Called only with paths that it has named. */
  v3(path: string): Promise<JsonObject>;
  v2(): Promise<V2Part>;
}
