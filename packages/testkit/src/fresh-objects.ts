/** An object that every new cluster has: where it is kept, and its text, with marks where clusters differ. */
export type FreshObject = readonly [key: string, text: string];

/** Stands for a UID, and for the time at which a cluster begins. */
export const [uidMark, timeMark] = ['{{uid}}', '{{time}}'] as const;

/** None among the sources: `npm run build` puts them into what is published (`scripts/build-fresh-objects.ts`). */
export const freshObjects: readonly FreshObject[] = [];
