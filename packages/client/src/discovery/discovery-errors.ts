import { newGenericServerResponse } from '@coxswain/apimachinery/errors';
import { GroupResource } from '@coxswain/apimachinery/meta';

/** Some group versions could not be read. The `ServerResources` with this error contain the others. */
export class GroupDiscoveryFailedError extends Error {
  override readonly name = 'GroupDiscoveryFailedError';
  /** The error of each group version. */
  readonly groupVersions: ReadonlyMap<string, Error>;

  constructor(groupVersions: ReadonlyMap<string, Error>) {
    const each = [...groupVersions].map(([groupVersion, { message }]) => `${groupVersion}: ${message}`).sort();
    super(`unable to retrieve the complete list of server APIs: ${each.join(', ')}`);
    this.groupVersions = groupVersions;
  }
}

/** Aggregated discovery marks the group version as stale: kube-apiserver could not reach the aggregated API server. */
export class StaleGroupVersionError extends Error {
  override readonly name = 'StaleGroupVersionError';
  readonly groupVersion: string;

  constructor(groupVersion: string) {
    super(`stale GroupVersion discovery: ${groupVersion}`);
    this.groupVersion = groupVersion;
  }
}

/** An error for an HTTP status whose response has no Status body, e.g. 404 for a missing group version. */
export const serverFailure = (code: number): Error =>
  newGenericServerResponse({ code, verb: 'GET', resource: GroupResource.of('', ''), serverMessage: '' });
