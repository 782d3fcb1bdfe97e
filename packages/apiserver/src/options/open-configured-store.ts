import { join } from 'node:path';
import type { Clock } from '@coxswain/apimachinery/clock';
import { messageOf } from '@coxswain/apimachinery/errors';
import type { Logger } from '@coxswain/apimachinery/log';
import type { EventLoop } from '@coxswain/apimachinery/turns';
import { OptionsError } from '@coxswain/component-base';
import { openEtcdStore, openLmdbStore, openMemoryStore, type Store, StoreUnavailableError } from '@coxswain/storage';
import type { CompletedOptions } from './api-server-flags.ts';

/** How long to wait for etcd; upstream's. */
const etcdPatienceMs = 20_000;

export interface OpenStoreContext {
  readonly clock: Clock;
  readonly eventLoop: EventLoop;
  readonly logger: Logger;
}

/**
 * Opens the store that the options configure. Throws a DataDirectoryError for a directory that cannot be used, a
 * StoreUnavailableError for an etcd that does not respond, and an OptionsError for invalid flags of etcd.
 */
export async function openConfiguredStore(options: CompletedOptions, context: OpenStoreContext): Promise<Store> {
  const { clock, eventLoop, logger } = context;
  if (options.memory) return openMemoryStore({ clock, eventLoop });
  const endpoints = options.etcdServers ?? [];
  if (endpoints.length === 0) return openLmdbStore({ path: join(options.dataDir!, 'store'), clock, eventLoop, logger });
  const store = await openEtcd(options, endpoints);
  try {
    await waitForEtcd(store, context);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function openEtcd(options: CompletedOptions, endpoints: readonly string[]): Promise<Store> {
  const { etcdCafile, etcdCertfile, etcdKeyfile, etcdPrefix } = options;
  const pem = (file: string | undefined) => (file ? { file } : undefined);
  try {
    return await openEtcdStore({
      endpoints,
      tls: { ca: pem(etcdCafile), cert: pem(etcdCertfile), key: pem(etcdKeyfile) },
      revisionKey: `${etcdPrefix.replace(/\/$/, '')}/`,
    });
  } catch (error) {
    throw new OptionsError([`--etcd-servers: ${messageOf(error)}`]);
  }
}

/** Retries without pauses, because each attempt lasts for the store's own timeout. */
async function waitForEtcd(store: Store, { clock, logger }: OpenStoreContext): Promise<void> {
  const giveUpAt = clock.monotonic() + etcdPatienceMs;
  for (;;) {
    try {
      await store.currentRevision();
      return;
    } catch (error) {
      if (!(error instanceof StoreUnavailableError) || clock.monotonic() >= giveUpAt) throw error;
      logger.info('Waiting for etcd', { err: error });
    }
  }
}
