import type { Lease } from '@coxswain/api/coordination/v1';
import { newAlreadyExists, newConflict, newNotFound } from '@coxswain/apimachinery/errors';
import { GroupResource } from '@coxswain/apimachinery/meta';
import { TransportError } from '../transport/transport.ts';
import type { LeaseLockOptions } from './lease-lock.ts';

type Verb = 'get' | 'create' | 'update';

/** Hooks that delay or fail requests. */
export interface Network {
  /** Called before the server handles a request. Rejects when the request is lost. */
  sending?(verb: Verb): Promise<void>;
  /** Called after the server has handled a request. Rejects when the response is lost. */
  answering?(verb: Verb): Promise<void>;
}

const leases = GroupResource.of('coordination.k8s.io', 'leases');

export const unreachable = (): TransportError => new TransportError('connect ECONNREFUSED', { code: 'ECONNREFUSED' });

/** A server with one lease that rejects writes with an outdated resourceVersion. */
export class LeaseServer {
  lease: Lease | undefined;
  readonly requests: Verb[] = [];
  #version = 0;

  client(network: Network = {}): LeaseLockOptions['leases'] {
    const call = async (verb: Verb, signal: AbortSignal | undefined, serve: () => Lease): Promise<Lease> => {
      signal?.throwIfAborted();
      const whole = async (): Promise<Lease> => {
        await network.sending?.(verb);
        this.requests.push(verb);
        const lease = serve();
        await network.answering?.(verb);
        return structuredClone(lease);
      };
      return new Promise((resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
        whole().then(resolve, reject);
      });
    };
    return {
      namespace: 'default',
      get: (name, options) => call('get', options?.signal, () => this.#existing(name)),
      create: (lease, options) =>
        call('create', options?.signal, () => {
          if (this.lease) throw newAlreadyExists(leases, lease.metadata.name ?? '');
          return this.#store(lease);
        }),
      update: (lease, options) =>
        call('update', options?.signal, () => {
          const name = lease.metadata.name ?? '';
          const { resourceVersion } = this.#existing(name).metadata;
          if (lease.metadata.resourceVersion !== resourceVersion) {
            throw newConflict(leases, name, new Error('the object has been modified'));
          }
          return this.#store(lease);
        }),
    };
  }

  #existing(name: string): Lease {
    if (!this.lease) throw newNotFound(leases, name);
    return this.lease;
  }

  #store(lease: Lease): Lease {
    this.lease = {
      ...structuredClone(lease),
      metadata: { ...lease.metadata, namespace: 'default', resourceVersion: String(++this.#version) },
    };
    return this.lease;
  }
}
