/** An object that every new cluster has, or every one with that many nodes. */
export interface FreshObject {
  /** Where it is kept. */
  readonly key: string;
  /** With marks where clusters differ: `{{time}}`, `{{uid 3}}`, `{{ca}}` (see `fresh-state.ts`). */
  readonly text: string;
  /** It belongs to the node of this number. */
  readonly node?: number;
}

/** None among the sources: `npm run build` puts them into what is published (`scripts/build-fresh-objects.ts`). */
export const freshObjects: readonly FreshObject[] = [];
