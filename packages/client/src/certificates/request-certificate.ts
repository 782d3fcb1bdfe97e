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

/** The part of a client for `certificatesigningrequests` of `certificates.k8s.io/v1` that is needed here. */
export type SigningRequestClient = Pick<
  ResourceInterface<CertificateSigningRequest>,
  'create' | 'get' | 'list' | 'watch'
>;

/** A SigningRequestClient over a RESTClient. */
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
  /** The key that signed the request. */
  readonly key: KeyObject;
  readonly signerName: string;
  readonly usages: readonly KeyUsage[];
  /** The requested lifetime; the signer may issue a shorter one. */
  readonly expirationSeconds?: number | undefined;
  /** The object's name. Without it the server generates one. With it, an existing request of that name is reused. */
  readonly name?: string;
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock;
}

/** A CertificateSigningRequest that exists in the cluster. */
export interface SubmittedRequest {
  readonly name: string;
  readonly uid: string;
}

/**
 * Creates a CertificateSigningRequest. Rejects when the server rejects it, and when a request of that name exists whose
 * subject, key or signer differs or whose certificate has expired.
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

/** The error text when a certificate of a reused request has expired. */
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

/** Keeps the original error as `cause`, so that callers can still check its type. */
const prefixed = (what: string, cause: unknown): Error => new Error(`${what}: ${messageOf(cause)}`, { cause });

/**
 * Waits until the request is approved and the certificate issued, and resolves with the certificate, PEM. Rejects when
 * the request is denied, failed, deleted or replaced, and with the signal's reason.
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
      // The first list may be served from a cache that does not have the new request yet.
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
