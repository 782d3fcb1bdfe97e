import type { Store } from '../store.ts';
import { EtcdClient } from './etcd-client.ts';
import { type EtcdStoreOptions, readEtcdOptions } from './etcd-options.ts';
import { EtcdStore } from './etcd-store.ts';

/**
 * Opens a store over an etcd v3 cluster. Keys and values are stored unchanged.
 *
 * This does not wait for a connection. Operations wait for as long as the options say, and then reject with a
 * `StoreUnavailableError`. A write whose answer is lost rejects with it too, and its message says that the outcome is
 * unknown. A write that is too large for etcd rejects with a `RequestTooLargeError`. Watches resume after the loss of a
 * connection.
 *
 * Throws for invalid options and for certificates that cannot be read.
 */
export async function openEtcdStore(options: EtcdStoreOptions): Promise<Store> {
  const [config, grpc] = await Promise.all([readEtcdOptions(options), import('@grpc/grpc-js')]);
  return new EtcdStore(new EtcdClient(grpc, config), () => performance.now());
}
