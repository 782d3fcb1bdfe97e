import type { TokenRequest, TokenRequestSpec } from '@coxswain/api/authentication/v1';
import type { ClusterTrustBundle } from '@coxswain/api/certificates/v1beta1';
import type { PersistentVolume } from '@coxswain/api/core/v1';
import { isNotFound } from '@coxswain/apimachinery/errors';
import type { ClientSet } from '@coxswain/client';

/** What volumes ask the API server for, besides what a `ConfigSource` has. Every method rejects when the server cannot be asked. */
export interface VolumeApi {
  /** Undefined if it does not exist. */
  persistentVolume(name: string, signal: AbortSignal): Promise<PersistentVolume | undefined>;
  requestToken(
    namespace: string,
    serviceAccount: string,
    spec: TokenRequestSpec,
    signal: AbortSignal,
  ): Promise<Pick<TokenRequest, 'spec' | 'status'>>;
  /** Undefined if the server does not have this kind. */
  trustBundles(): Promise<readonly ClusterTrustBundle[] | undefined>;
}

export class ClientVolumeApi implements VolumeApi {
  readonly #clients: ClientSet;

  constructor(clients: ClientSet) {
    this.#clients = clients;
  }

  async persistentVolume(name: string, signal: AbortSignal): Promise<PersistentVolume | undefined> {
    return await unlessNotFound(this.#clients.core.v1.persistentVolumes().get(name, { signal }));
  }

  async requestToken(namespace: string, serviceAccount: string, spec: TokenRequestSpec, signal: AbortSignal) {
    const accounts = this.#clients.core.v1.serviceAccounts(namespace);
    return await accounts.createToken(serviceAccount, { spec }, { signal });
  }

  async trustBundles(): Promise<readonly ClusterTrustBundle[] | undefined> {
    const list = await unlessNotFound(this.#clients.certificates.v1beta1.clusterTrustBundles().list());
    return list?.items;
  }
}

async function unlessNotFound<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
