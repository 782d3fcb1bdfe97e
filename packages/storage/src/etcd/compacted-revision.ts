import { EtcdCallError, type EtcdClient } from './etcd-client.ts';
import { methods, type WatchResponse } from './messages.ts';

/** The revision of an empty etcd. */
export const firstRevision = 1;

/** Returns the oldest revision that can be read. Throws a StoreUnavailableError when etcd does not answer. */
export async function readCompactedRevision(client: EtcdClient): Promise<number> {
  const key = Buffer.from(client.config.revisionKey);
  try {
    await client.call(methods.range, { key, countOnly: true, revision: firstRevision }, { repeatable: true });
    return firstRevision;
  } catch (error) {
    if (!(error instanceof EtcdCallError && error.failure === 'compacted')) throw error;
  }
  const endpoint = await client.connected();
  const call = endpoint.openWatch();
  const timeout = setTimeout(() => call.cancel(), client.config.requestTimeoutMs);
  try {
    return await new Promise((resolve, reject) => {
      call.on('error', (error) => reject(client.unavailable('it did not report its compacted revision', error)));
      call.on('data', ({ compactRevision = 0 }: WatchResponse) => {
        if (compactRevision > 0) resolve(compactRevision);
      });
      call.write({ createRequest: { key, startRevision: firstRevision } });
    });
  } finally {
    clearTimeout(timeout);
    call.cancel();
  }
}
