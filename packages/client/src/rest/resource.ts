/** What a client must know of a resource to ask for it. */
export interface ResourceDescription {
  readonly group: string;
  readonly version: string;
  /** Plural, as in the path. */
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
}
