import type { EndpointSlice } from '@coxswain/api/discovery/v1';
import { isAlreadyExists, isNotFound } from '@coxswain/apimachinery/errors';
import type { ClientSet } from '@coxswain/client';
import { defaultCorefile } from './default-corefile.ts';

const namespace = 'kube-system';
const name = 'kube-dns';
const labels = { 'k8s-app': 'kube-dns', 'kubernetes.io/name': 'CoreDNS' };

export interface KubeDnsServiceOptions {
  readonly clients: ClientSet;
  /** The address that pods have in their resolv.conf: 10.96.0.10. */
  readonly clusterIP: string;
  /** Where the server is reached by pods, all IPv4 or all IPv6. */
  readonly addresses: readonly string[];
  readonly port: number;
  /** Makes the name of the EndpointSlice unique among several servers. */
  readonly host: string;
  readonly clusterDomain?: string;
}

/**
 * The Service `kube-system/kube-dns` for a server that runs in no pod: a Service without selector, with an EndpointSlice that has the server's address. An existing
 * Service and an existing ConfigMap `coredns` stay as they are.
 */
export class KubeDnsService {
  readonly #options: KubeDnsServiceOptions;

  constructor(options: KubeDnsServiceOptions) {
    this.#options = options;
  }

  /** Creates what is missing. Rejects with the error of the API server. */
  async publish(): Promise<void> {
    const { clients, clusterIP, clusterDomain } = this.#options;
    const { v1 } = clients.core;
    const metadata = { name, namespace, labels };
    await ignoring(isAlreadyExists, () =>
      v1.configMaps(namespace).create({
        metadata: { name: 'coredns', namespace },
        data: { Corefile: defaultCorefile(clusterDomain) },
      }),
    );
    // Looked up first: the creation of a second one would fail because the address is in use.
    const { items } = await v1.services(namespace).list({ fieldSelector: `metadata.name=${name}` });
    if (items.length === 0) {
      await ignoring(isAlreadyExists, () =>
        v1.services(namespace).create({
          metadata,
          spec: {
            clusterIP,
            ports: [
              { name: 'dns', port: 53, protocol: 'UDP' },
              { name: 'dns-tcp', port: 53, protocol: 'TCP' },
            ],
          },
        }),
      );
    }
    await this.#publishSlice();
  }

  /** Removes the endpoint, so that queries no longer come here. */
  async withdraw(): Promise<void> {
    const slices = this.#options.clients.discovery.v1.endpointSlices(namespace);
    await ignoring(isNotFound, () => slices.delete(this.#sliceName));
  }

  get #sliceName(): string {
    return `${name}-${this.#options.host}`;
  }

  async #publishSlice(): Promise<void> {
    const { clients, addresses, port } = this.#options;
    const slices = clients.discovery.v1.endpointSlices(namespace);
    const slice: EndpointSlice = {
      metadata: {
        name: this.#sliceName,
        namespace,
        labels: {
          ...labels,
          'kubernetes.io/service-name': name,
          'endpointslice.kubernetes.io/managed-by': 'dns.coxswain.dev',
        },
      },
      addressType: addresses.some((address) => address.includes(':')) ? 'IPv6' : 'IPv4',
      endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
      ports: [
        { name: 'dns', port, protocol: 'UDP' },
        { name: 'dns-tcp', port, protocol: 'TCP' },
      ],
    };
    try {
      await slices.create(slice);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      // Left over from a process that was killed.
      await slices.update(slice);
    }
  }
}

/** Does something, and accepts that it was done before. */
async function ignoring(isExpected: (error: unknown) => boolean, action: () => Promise<unknown>): Promise<void> {
  try {
    await action();
  } catch (error) {
    if (!isExpected(error)) throw error;
  }
}
