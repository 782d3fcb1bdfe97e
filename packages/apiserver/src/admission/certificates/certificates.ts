import type { CertificateSigningRequest } from '@coxswain/api/certificates/v1';
import type { ClusterTrustBundle } from '@coxswain/api/certificates/v1beta1';
import {
  checkCertificateApproval,
  checkCertificateSigning,
  checkTrustBundleAttestation,
} from '../../authorization/index.ts';
import type { AdmissionPlugin } from '../admission.ts';
import { admissionForbidden } from '../admission-error.ts';
import type { AdmissionContext } from '../plugin-context.ts';
import { signingRequestSubject } from './signing-request-subject.ts';

const signingRequests = 'certificatesigningrequests.certificates.k8s.io';
type Context = Pick<AdmissionContext, 'authorizer'>;

/** The user must have permission to approve for the signer. */
export const certificateApproval = ({ authorizer }: Context): AdmissionPlugin => ({
  name: 'CertificateApproval',
  operations: ['UPDATE'],
  resources: [`${signingRequests}/approval`],
  async validate({ oldObject, user }) {
    if (!oldObject) return;
    const refusal = await checkCertificateApproval(user, oldObject as CertificateSigningRequest, authorizer);
    if (refusal) throw refusal;
  },
});

/** The user must have permission to sign for the signer. */
export const certificateSigning = ({ authorizer }: Context): AdmissionPlugin => ({
  name: 'CertificateSigning',
  operations: ['UPDATE'],
  resources: [`${signingRequests}/status`],
  async validate({ object, oldObject, user }) {
    if (!object || !oldObject) return;
    const [next, old] = [object as CertificateSigningRequest, oldObject as CertificateSigningRequest];
    const refusal = await checkCertificateSigning(user, next, old, authorizer);
    if (refusal) throw refusal;
  },
});

/** The user must have permission to attest for the signer. */
export const clusterTrustBundleAttest = ({ authorizer }: Context): AdmissionPlugin => ({
  name: 'ClusterTrustBundleAttest',
  operations: ['CREATE', 'UPDATE'],
  resources: ['clustertrustbundles.certificates.k8s.io'],
  async validate({ object, oldObject, user }) {
    if (!object) return;
    const old = oldObject as ClusterTrustBundle | undefined;
    const refusal = await checkTrustBundleAttestation(user, object as ClusterTrustBundle, old, authorizer);
    if (refusal) throw refusal;
  },
});

const clientSigner = 'kubernetes.io/kube-apiserver-client';
const masters = 'system:masters';

/** Client certificates must not be requested for the group system:masters. */
export const certificateSubjectRestriction = (): AdmissionPlugin => ({
  name: 'CertificateSubjectRestriction',
  operations: ['CREATE'],
  resources: [signingRequests],
  validate(attributes) {
    const { spec } = attributes.object as CertificateSigningRequest;
    if (spec.signerName !== clientSigner) return;
    const { organizations } = signingRequestSubject(attributes, 'failed to parse CSR');
    if (organizations.includes(masters))
      throw admissionForbidden(attributes, `use of ${clientSigner} signer with ${masters} group is not allowed`);
  },
});
