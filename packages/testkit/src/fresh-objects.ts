/** An object that every new cluster has, or every new cluster with that many nodes. */
export interface FreshObject {
  /** The key in the store. */
  readonly key: string;
  /**
   * The JSON text, with placeholders where clusters differ: `{{time}}`, `{{uid 3}}`, `{{ca}}` (see `fresh-state.ts`).
   */
  readonly text: string;
  /** The number of the node that the object belongs to. */
  readonly node?: number;
}

/** Empty in the sources. `npm run build` replaces it in the published package (`scripts/build-fresh-objects.ts`). */
export const freshObjects: readonly FreshObject[] = [];
