/** The description of a resource that a client needs for requests. */
export interface ResourceDescription {
  readonly group: string;
  readonly version: string;
  /** The plural, as in the path. */
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
}
