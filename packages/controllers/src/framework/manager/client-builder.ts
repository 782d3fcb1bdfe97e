import type { RESTClient } from '@coxswain/client';

/**
 * Who a controller is to the API server: the seam between controllers that all act as one user, and those that each have an
 * identity, and with it rights, of their own. Caches are filled by one client for all, whoever acts.
 */
export interface ClientBuilder {
  /** The client that the controller of this name acts by. */
  clientFor(controller: string): RESTClient;
}

/** All controllers act as the same user, by one client. */
export const oneClientForAll = (rest: RESTClient): ClientBuilder => ({ clientFor: () => rest });
