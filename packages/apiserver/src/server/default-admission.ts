import type { CertificateSigningRequest } from '@coxswain/api/certificates/v1';
import type { ClusterTrustBundle } from '@coxswain/api/certificates/v1beta1';
import type { ClusterRole, ClusterRoleBinding } from '@coxswain/api/rbac/v1';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission/admission.ts';
import { namespaceLifecycle } from '../admission/namespace-lifecycle.ts';
import {
  type Authorization,
  checkBindingEscalation,
  checkCertificateApproval,
  checkCertificateSigning,
  checkRoleEscalation,
  checkTrustBundleAttestation,
} from '../authorization/index.ts';
import type { Listers } from '../registry/lister.ts';

/** The plug-ins a server has, in the order in which they run. */
export function admissionPlugins(listers: Listers, authorization: Authorization): AdmissionPlugin[] {
  return [
    namespaceLifecycle(listers.lister('', 'namespaces')),
    certificateApproval(authorization),
    certificateSigning(authorization),
    trustBundleAttest(authorization),
  ];
}

const isOf = ({ resource }: AdmissionAttributes, group: string, name: string): boolean =>
  resource.resource === name && resource.group === group;
const certificates = 'certificates.k8s.io';
const csr = 'certificatesigningrequests';

const certificateApproval = ({ authorizer }: Authorization): AdmissionPlugin => ({
  name: 'CertificateApproval',
  operations: ['UPDATE'],
  async validate(attributes) {
    const { subresource, oldObject, user } = attributes;
    if (!isOf(attributes, certificates, csr) || subresource !== 'approval' || !oldObject) return;
    const refusal = await checkCertificateApproval(user, oldObject as CertificateSigningRequest, authorizer);
    if (refusal) throw refusal;
  },
});

const certificateSigning = ({ authorizer }: Authorization): AdmissionPlugin => ({
  name: 'CertificateSigning',
  operations: ['UPDATE'],
  async validate(attributes) {
    const { subresource, object, oldObject, user } = attributes;
    if (!isOf(attributes, certificates, csr) || subresource !== 'status' || !object || !oldObject) return;
    const [next, old] = [object as CertificateSigningRequest, oldObject as CertificateSigningRequest];
    const refusal = await checkCertificateSigning(user, next, old, authorizer);
    if (refusal) throw refusal;
  },
});

const trustBundleAttest = ({ authorizer }: Authorization): AdmissionPlugin => ({
  name: 'ClusterTrustBundleAttest',
  operations: ['CREATE', 'UPDATE'],
  async validate(attributes) {
    const { subresource, object, oldObject, user } = attributes;
    if (!isOf(attributes, certificates, 'clustertrustbundles') || subresource !== '' || !object) return;
    const old = oldObject as ClusterTrustBundle | undefined;
    const refusal = await checkTrustBundleAttestation(user, object as ClusterTrustBundle, old, authorizer);
    if (refusal) throw refusal;
  },
});

const roles: ReadonlySet<string> = new Set(['clusterroles', 'roles']);

/**
 * Nobody gives away more than they have. Upstream has it in the storage of RBAC's objects, where no flag switches it
 * off; so this is no plug-in with a name for one, and comes right after those that change objects.
 */
export const rbacEscalation = ({ authorizer, rbac }: Authorization): AdmissionPlugin => ({
  name: '',
  operations: ['CREATE', 'UPDATE'],
  async admit({ resource, object, oldObject, user, namespace, name, operation }) {
    if (resource.group !== 'rbac.authorization.k8s.io' || !object) return;
    const context = { user, namespace, authorizer, rbac };
    const refusal = roles.has(resource.resource)
      ? await checkRoleEscalation(
          context,
          resource.resource as 'roles' | 'clusterroles',
          operation === 'CREATE' ? '' : name,
          object as ClusterRole,
          oldObject as ClusterRole | undefined,
        )
      : await checkBindingEscalation(
          context,
          resource.resource as 'rolebindings' | 'clusterrolebindings',
          object as ClusterRoleBinding,
          oldObject as ClusterRoleBinding | undefined,
        );
    if (refusal) throw refusal;
  },
});
