import type { Store } from '../store.ts';
import { EtcdClient } from './etcd-client.ts';
import { type EtcdStoreOptions, readEtcdOptions } from './etcd-options.ts';
import { EtcdStore } from './etcd-store.ts';

/**
 * Opens a store over an etcd v3 cluster. Keys are stored as they are given, values too.
 *
 * It does not wait for etcd: operations do, each for as long as the options say, and then fail with
 * `StoreUnavailableError`. A write whose answer got lost fails with it as well and says that its outcome is unknown. A
 * write that is too large for etcd fails with `RequestTooLargeError`. Watches outlive the loss of a connection.
 *
 * Throws at options that cannot work and at certificates that cannot be read.
 */
export async function openEtcdStore(options: EtcdStoreOptions): Promise<Store> {
  const [config, grpc] = await Promise.all([readEtcdOptions(options), import('@grpc/grpc-js')]);
  return new EtcdStore(new EtcdClient(grpc, config), () => performance.now());
}
