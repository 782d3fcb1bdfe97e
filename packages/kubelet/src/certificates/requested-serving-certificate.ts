import type { NodeAddress } from '@coxswain/api/core/v1';
import { formatIP, parseIPSloppy } from '@coxswain/apimachinery/validation';
import type { Clock, Logger } from '@coxswain/client';
import {
  CertificateFileStore,
  CertificateManager,
  type CertificateTemplate,
  type PemKeyPair,
  type SigningRequestClient,
} from '@coxswain/client/certificates';
import type { KeyPairFiles } from '@coxswain/client/x509';
import type { ServingCertificateSource, ServingPair } from '../server/serving-certificate-source.ts';

export interface RequestedServingCertificateOptions {
  readonly nodeName: string;
  /** Where the certificate is kept: `/var/lib/kubelet/pki`. */
  readonly directory: string;
  /** The pair to begin with, as long as the directory has none. */
  readonly files?: KeyPairFiles;
  readonly client: SigningRequestClient;
  /** The addresses of the node's status. A certificate is requested for them, and again when they change. */
  readonly addresses: () => readonly NodeAddress[];
  /** Whether a certificate is also requested while the node has names but no IP addresses. */
  readonly allowNamesOnly: boolean;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly logger: Logger;
}

/**
 * The certificate of the kubelet's port, requested from the cluster (`serverTLSBootstrap`), and again after 70 to 90% of its lifetime.
 * Somebody has to approve the requests.
 */
export class RequestedServingCertificate implements ServingCertificateSource {
  readonly #manager: CertificateManager;
  readonly #listeners: Set<(pair: ServingPair) => void>;

  private constructor(manager: CertificateManager, listeners: Set<(pair: ServingPair) => void>) {
    this.#manager = manager;
    this.#listeners = listeners;
  }

  /** Rejects when the stored pair cannot be read. */
  static async create(options: RequestedServingCertificateOptions): Promise<RequestedServingCertificate> {
    const { nodeName, directory, files, client, addresses, allowNamesOnly, clock, random, logger } = options;
    const listeners = new Set<(pair: ServingPair) => void>();
    const manager = await CertificateManager.create({
      store: new CertificateFileStore({ name: 'kubelet-server', directory, ...files, clock }),
      template: () => servingTemplate(nodeName, addresses(), allowNamesOnly),
      signerName: 'kubernetes.io/kubelet-serving',
      usages: ['digital signature', 'server auth'],
      client: () => client,
      onRotated: (pair) => {
        for (const listener of listeners) listener(servingPair(pair));
      },
      clock,
      random,
      logger,
    });
    return new RequestedServingCertificate(manager, listeners);
  }

  current(): ServingPair | undefined {
    const { current } = this.#manager;
    return current && servingPair(current);
  }

  subscribe(onChange: (pair: ServingPair) => void): () => void {
    this.#listeners.add(onChange);
    return () => this.#listeners.delete(onChange);
  }

  /** Requests certificates until the signal is aborted. */
  run(signal: AbortSignal): Promise<void> {
    return this.#manager.run(signal);
  }
}

const servingPair = ({ certificate, key }: PemKeyPair): ServingPair => ({ cert: certificate, key });

/** Returns what to request for a node with these addresses; undefined while it has none. */
function servingTemplate(
  nodeName: string,
  addresses: readonly NodeAddress[],
  allowNamesOnly: boolean,
): CertificateTemplate | undefined {
  const names = new Set<string>();
  const ips = new Set<string>();
  for (const { type, address } of addresses) {
    const ip = parseIPSloppy(address);
    const isName = type.endsWith('DNS') || (type === 'Hostname' && !ip);
    if (isName && address !== '') names.add(address);
    else if (ip) ips.add(formatIP(ip.bytes));
  }
  if (ips.size === 0 && !(allowNamesOnly && names.size > 0)) return undefined;
  return {
    commonName: `system:node:${nodeName}`,
    organizations: ['system:nodes'],
    dnsNames: [...names].sort(),
    ipAddresses: [...ips].sort(),
  };
}
