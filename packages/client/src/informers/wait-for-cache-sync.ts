/** An informer, or the registration of a handler. */
export interface Syncing {
  whenSynced(signal?: AbortSignal): Promise<void>;
}

/** Resolves when all have synced. Rejects with the signal's reason, and when one stops before it has synced. */
export async function waitForCacheSync(signal: AbortSignal | undefined, ...syncing: readonly Syncing[]): Promise<void> {
  await Promise.all(syncing.map((one) => one.whenSynced(signal)));
}
