import type { KeyObject } from 'node:crypto';
import type { CertificateSigningRequest, CertificateSigningRequestSpec } from '@coxswain/api/certificates/v1';
import { type Clock, systemClock } from '@coxswain/apimachinery/clock';
import { isAlreadyExists, messageOf } from '@coxswain/apimachinery/errors';
import { ResourceClient } from '../rest/resource-client.ts';
import type { ResourceInterface } from '../rest/resource-interface.ts';
import type { RESTClient } from '../rest/rest-client.ts';
import { untilWithSync } from '../wait/index.ts';
import { expiries } from '../x509/pem-key-pair.ts';
import { incompatibility } from './certificate-request.ts';

/** A client for `certificatesigningrequests` of `certificates.k8s.io/v1`, or as much of one as is needed here. */
export type SigningRequestClient = Pick<
  ResourceInterface<CertificateSigningRequest>,
  'create' | 'get' | 'list' | 'watch'
>;

/** The client for them over a RESTClient. */
export const signingRequestClient = (rest: RESTClient): SigningRequestClient =>
  new ResourceClient<CertificateSigningRequest>(rest, {
    group: 'certificates.k8s.io',
    version: 'v1',
    resource: 'certificatesigningrequests',
    kind: 'CertificateSigningRequest',
    namespaced: false,
  });

export type KeyUsage = NonNullable<CertificateSigningRequestSpec['usages']>[number];

export interface SigningRequestOptions {
  /** PKCS #10, PEM. */
  readonly request: string;
  /** The key that has signed it. */
  readonly key: KeyObject;
  readonly signerName: string;
  readonly usages: readonly KeyUsage[];
  /** How long the certificate is wanted for; the signer may give less. */
  readonly expirationSeconds?: number | undefined;
  /** Without, the server makes one up. With it, a request of that name from an earlier try is taken up again. */
  readonly name?: string;
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock;
}

/** A request that is in the cluster. */
export interface SubmittedRequest {
  readonly name: string;
  readonly uid: string;
}

/**
 * Asks the cluster for a certificate. Rejects when it is refused, and when one of that name is there already that is for
 * somebody else or another key.
 */
export async function requestCertificate(
  client: SigningRequestClient,
  { request, key, signerName, usages, expirationSeconds, name, signal, clock = systemClock }: SigningRequestOptions,
): Promise<SubmittedRequest> {
  const call = { ...(signal && { signal }) };
  try {
    const created = await client.create(
      {
        metadata: name ? { name } : { generateName: 'csr-' },
        spec: {
          request: Buffer.from(request).toString('base64'),
          signerName,
          usages: [...usages],
          ...(expirationSeconds !== undefined && { expirationSeconds }),
        },
      },
      call,
    );
    return submitted(created);
  } catch (error) {
    signal?.throwIfAborted();
    if (!name || !isAlreadyExists(error)) throw prefixed('cannot create certificate signing request', error);
  }
  const found = await client.get(name, call).catch((error: unknown) => {
    signal?.throwIfAborted();
    throw prefixed('cannot retrieve certificate signing request', error);
  });
  const problem =
    incompatibility(decoded(found.spec.request), request, key) ??
    signerProblem(found.spec.signerName, signerName) ??
    expiryProblem(decoded(found.status?.certificate ?? ''), clock.now());
  if (problem) throw new Error(`retrieved csr is not compatible: ${problem}`);
  return submitted(found);
}

const decoded = (base64: string): string => Buffer.from(base64, 'base64').toString();

const signerProblem = (found: string, wanted: string): string | undefined =>
  found === wanted ? undefined : `csr signerNames differ: new "${found}", orig: "${wanted}"`;

/** One from an earlier try that was issued long ago is of no use. */
function expiryProblem(issued: string, now: number): string | undefined {
  const expired = expiries(issued).find((end) => now > end);
  return expired === undefined
    ? undefined
    : `one of the certificates for the CSR has expired: ${new Date(expired).toISOString()}`;
}

const submitted = ({ metadata }: CertificateSigningRequest): SubmittedRequest => ({
  name: metadata.name ?? '',
  uid: metadata.uid ?? '',
});

/** The error is the cause, so that what it is can still be asked. */
const prefixed = (what: string, cause: unknown): Error => new Error(`${what}: ${messageOf(cause)}`, { cause });

/**
 * Waits until the certificate is issued and resolves with it, PEM. Rejects when the request is denied, failed or deleted,
 * and with the signal's reason.
 */
export async function waitForCertificate(
  client: SigningRequestClient,
  { name, uid }: SubmittedRequest,
  { signal, clock }: { readonly signal?: AbortSignal | undefined; readonly clock?: Clock } = {},
): Promise<string> {
  const options = { ...(signal && { signal }), ...(clock && { clock }) };
  let wasThere = false;
  const issued = await untilWithSync(
    client,
    name,
    (found) => {
      // The first look may be into a cache that does not know it yet.
      if (!found && !wasThere) return false;
      wasThere = true;
      return isIssued(found, name, uid);
    },
    options,
  );
  return decoded(issued?.status?.certificate ?? '');
}

const watching = 'cannot watch on the certificate signing request:';

function isIssued(found: CertificateSigningRequest | undefined, name: string, uid: string): boolean {
  if (!found) throw new Error(`${watching} csr "${name}" was deleted`);
  if (found.metadata.uid !== uid) throw new Error(`${watching} csr "${name}" changed UIDs`);
  const { conditions = [], certificate } = found.status ?? {};
  for (const { type, reason = '', message = '' } of conditions) {
    const why = `reason: ${reason}, message: ${message}`;
    if (type === 'Denied') throw new Error(`${watching} certificate signing request is denied, ${why}`);
    if (type === 'Failed') throw new Error(`${watching} certificate signing request failed, ${why}`);
  }
  return conditions.some(({ type }) => type === 'Approved') && Boolean(certificate);
}
