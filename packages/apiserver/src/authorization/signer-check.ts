import type { UserInfo } from '@coxswain/api';
import type { CertificateSigningRequest } from '@coxswain/api/certificates/v1';
import type { ClusterTrustBundle } from '@coxswain/api/certificates/v1beta1';
import { type ApiError, GroupResource, newForbidden, quote, semanticEqual } from '@coxswain/apimachinery';
import type { Authorizer } from '@coxswain/component-base/authorization';
import { changesOnlyGarbageCollection } from './escalation-check.ts';
import { resourceAttributes } from './resource-attributes.ts';

const group = 'certificates.k8s.io';

/** Checks updates of `certificatesigningrequests/approval`, by the signer of the existing object. */
export async function checkCertificateApproval(
  user: UserInfo,
  old: CertificateSigningRequest,
  authorizer: Authorizer,
): Promise<ApiError | undefined> {
  const { signerName } = old.spec;
  if (await mayUseSigner(authorizer, user, 'approve', signerName)) return undefined;
  return refusal(old, `user not permitted to approve requests with signerName ${quote(signerName)}`);
}

/** Checks updates of `certificatesigningrequests/status` that change the certificate or the conditions. */
export async function checkCertificateSigning(
  user: UserInfo,
  request: CertificateSigningRequest,
  old: CertificateSigningRequest,
  authorizer: Authorizer,
): Promise<ApiError | undefined> {
  const { signerName } = old.spec;
  const unchanged =
    (old.status?.certificate ?? '') === (request.status?.certificate ?? '') &&
    semanticEqual(old.status?.conditions, request.status?.conditions);
  if (unchanged || (await mayUseSigner(authorizer, user, 'sign', signerName))) return undefined;
  return refusal(old, `user not permitted to sign requests with signerName ${quote(signerName)}`);
}

/** Checks creations (`old` absent) and updates of cluster trust bundles. */
export async function checkTrustBundleAttestation(
  user: UserInfo,
  bundle: ClusterTrustBundle,
  old: ClusterTrustBundle | undefined,
  authorizer: Authorizer,
): Promise<ApiError | undefined> {
  const { signerName } = bundle.spec;
  if (!signerName || (old && changesOnlyGarbageCollection(bundle, old))) return undefined;
  if (await mayUseSigner(authorizer, user, 'attest', signerName)) return undefined;
  const { name, generateName } = bundle.metadata;
  return newForbidden(
    GroupResource.of(group, 'clustertrustbundles'),
    name || generateName || 'Unknown',
    `user not permitted to attest for signerName ${quote(signerName)}`,
  );
}

/** Whether the user has the verb on the signer, or on all signers of its domain (`DOMAIN/*`). */
async function mayUseSigner(
  authorizer: Authorizer,
  user: UserInfo,
  verb: 'approve' | 'sign' | 'attest',
  signerName: string,
): Promise<boolean> {
  for (const name of [signerName, `${signerName.split('/', 1)[0]}/*`]) {
    const wanted = resourceAttributes({ user, verb, apiGroup: group, resource: 'signers', name });
    if ((await authorizer.authorize(wanted)).decision === 'allow') return true;
  }
  return false;
}

const refusal = ({ metadata }: CertificateSigningRequest, why: string): ApiError =>
  newForbidden(GroupResource.of(group, 'certificatesigningrequests'), metadata.name ?? '', why);
