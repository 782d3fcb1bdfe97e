/** An informer, or a handler's registration at one. */
export interface Syncing {
  whenSynced(signal?: AbortSignal): Promise<void>;
}

/**
 * Resolves when all of them have synced. Rejects with the signal's reason when that is aborted before, and when one of
 * them stops, so that it never will.
 */
export async function waitForCacheSync(signal: AbortSignal | undefined, ...syncing: readonly Syncing[]): Promise<void> {
  await Promise.all(syncing.map((one) => one.whenSynced(signal)));
}
