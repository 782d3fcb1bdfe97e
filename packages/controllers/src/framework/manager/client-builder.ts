import type { RESTClient } from '@coxswain/client';

/**
 * Decides which client each controller uses: one client for all, or one per controller with its own identity and permissions.
 * Informers always use one shared client.
 */
export interface ClientBuilder {
  /** Returns the client for the requests of the controller of this name. */
  clientFor(controller: string): RESTClient;
}

/** All controllers use the same client and so act as the same user. */
export const oneClientForAll = (rest: RESTClient): ClientBuilder => ({ clientFor: () => rest });
