import { newGenericServerResponse } from '@coxswain/apimachinery/errors';
import { GroupResource } from '@coxswain/apimachinery/meta';

/** Some group versions could not be read; what could is in the answer that this error is part of. */
export class GroupDiscoveryFailedError extends Error {
  override readonly name = 'GroupDiscoveryFailedError';
  /** By group version, why. */
  readonly groupVersions: ReadonlyMap<string, Error>;

  constructor(groupVersions: ReadonlyMap<string, Error>) {
    const each = [...groupVersions].map(([groupVersion, { message }]) => `${groupVersion}: ${message}`).sort();
    super(`unable to retrieve the complete list of server APIs: ${each.join(', ')}`);
    this.groupVersions = groupVersions;
  }
}

/** The server could not reach the one that serves the group version, and says so in aggregated discovery. */
export class StaleGroupVersionError extends Error {
  override readonly name = 'StaleGroupVersionError';
  readonly groupVersion: string;

  constructor(groupVersion: string) {
    super(`stale GroupVersion discovery: ${groupVersion}`);
    this.groupVersion = groupVersion;
  }
}

/** What a server answers that says no more than an HTTP status: 404 for what it does not have. */
export const serverFailure = (code: number): Error =>
  newGenericServerResponse({ code, verb: 'GET', resource: GroupResource.of('', ''), serverMessage: '' });
