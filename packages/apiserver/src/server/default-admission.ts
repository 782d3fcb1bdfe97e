import type { ClusterRole, ClusterRoleBinding } from '@coxswain/api/rbac/v1';
import type { AdmissionPlugin } from '../admission/admission.ts';
import type { AdmissionConfiguration } from '../admission/admission-configuration.ts';
import { alwaysDeny } from '../admission/always-deny.ts';
import {
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
  clusterTrustBundleAttest,
} from '../admission/certificates/certificates.ts';
import { defaultIngressClass } from '../admission/default-class/default-ingress-class.ts';
import { defaultStorageClass } from '../admission/default-class/default-storage-class.ts';
import { denyServiceExternalIPs } from '../admission/deny-service-external-ips.ts';
import { eventRateLimit } from '../admission/event-rate-limit/event-rate-limit.ts';
import { imagePolicyWebhook } from '../admission/image-policy/image-policy-webhook.ts';
import { podGroupProtection, storageObjectInUseProtection } from '../admission/in-use-protection.ts';
import { jobValidation } from '../admission/job-validation.ts';
import { limitRanger } from '../admission/limit-ranger/index.ts';
import { namespaceAutoProvision } from '../admission/namespace/namespace-auto-provision.ts';
import { namespaceExists } from '../admission/namespace/namespace-exists.ts';
import { namespaceLifecycle } from '../admission/namespace/namespace-lifecycle.ts';
import { nodeDeclaredFeatureValidator } from '../admission/node/node-declared-feature-validator.ts';
import { nodeRestriction } from '../admission/node/node-restriction.ts';
import { taintNodesByCondition } from '../admission/node/taint-nodes-by-condition.ts';
import {
  type OwnerMapper,
  ownerReferencesPermissionEnforcement,
} from '../admission/owner-references-permission-enforcement.ts';
import { persistentVolumeClaimResize } from '../admission/persistent-volume-claim-resize.ts';
import type { AdmissionContext } from '../admission/plugin-context.ts';
import { alwaysPullImages } from '../admission/pod/always-pull-images.ts';
import { defaultTolerationSeconds, type TolerationSeconds } from '../admission/pod/default-toleration-seconds.ts';
import { extendedResourceToleration } from '../admission/pod/extended-resource-toleration.ts';
import { limitPodHardAntiAffinityTopology } from '../admission/pod/limit-pod-hard-anti-affinity-topology.ts';
import { podGroupWorkloadExists } from '../admission/pod/pod-group-workload-exists.ts';
import { podNodeSelector } from '../admission/pod/pod-node-selector.ts';
import { podResizeValidator } from '../admission/pod/pod-resize-validator.ts';
import { podTolerationRestriction } from '../admission/pod/pod-toleration-restriction.ts';
import { podTopologyLabels } from '../admission/pod/pod-topology-labels.ts';
import { priority } from '../admission/pod/priority.ts';
import { runtimeClass } from '../admission/pod/runtime-class.ts';
import { podSecurity } from '../admission/pod-security/index.ts';
import {
  mutatingAdmissionPolicy,
  type PolicyPluginOptions,
  validatingAdmissionPolicy,
} from '../admission/policy/index.ts';
import { resourceQuota } from '../admission/quota/index.ts';
import { serviceAccount } from '../admission/service-account/service-account.ts';
import {
  mutatingAdmissionWebhook,
  validatingAdmissionWebhook,
  type WebhookPluginOptions,
} from '../admission/webhook/index.ts';
import { type Authorization, checkBindingEscalation, checkRoleEscalation } from '../authorization/index.ts';

/** The dependencies of admission plug-ins. */
export interface AdmissionDependencies extends AdmissionContext {
  readonly configuration: AdmissionConfiguration;
  readonly tolerationSeconds?: TolerationSeconds;
  readonly ownerMapper: OwnerMapper;
  readonly webhooks: Omit<WebhookPluginOptions, 'context' | 'configuration'>;
  readonly policies: Omit<PolicyPluginOptions, 'context'>;
}

/** Factories of plug-ins by name. They run in the order of `knownAdmissionPlugins`. */
const factories: ReadonlyMap<string, (dependencies: AdmissionDependencies) => AdmissionPlugin> = new Map<
  string,
  (dependencies: AdmissionDependencies) => AdmissionPlugin
>([
  ['NamespaceAutoProvision', namespaceAutoProvision],
  ['NamespaceLifecycle', namespaceLifecycle],
  ['NamespaceExists', namespaceExists],
  ['LimitPodHardAntiAffinityTopology', limitPodHardAntiAffinityTopology],
  ['LimitRanger', limitRanger],
  ['ServiceAccount', serviceAccount],
  ['NodeRestriction', nodeRestriction],
  ['TaintNodesByCondition', taintNodesByCondition],
  ['AlwaysPullImages', alwaysPullImages],
  ['ImagePolicyWebhook', (made) => imagePolicyWebhook(made, configured(made, 'ImagePolicyWebhook'))],
  ['PodSecurity', (made) => podSecurity(made, made.configuration.PodSecurity)],
  ['PodNodeSelector', (made) => podNodeSelector(made, made.configuration.PodNodeSelector)],
  ['Priority', priority],
  ['DefaultTolerationSeconds', ({ tolerationSeconds }) => defaultTolerationSeconds(tolerationSeconds)],
  ['PodTolerationRestriction', (made) => podTolerationRestriction(made, made.configuration.PodTolerationRestriction)],
  ['EventRateLimit', (made) => eventRateLimit(made, configured(made, 'EventRateLimit'))],
  ['ExtendedResourceToleration', extendedResourceToleration],
  ['DefaultStorageClass', defaultStorageClass],
  ['StorageObjectInUseProtection', storageObjectInUseProtection],
  ['PodGroupProtection', podGroupProtection],
  [
    'OwnerReferencesPermissionEnforcement',
    ({ authorizer, ownerMapper }) => ownerReferencesPermissionEnforcement(authorizer, ownerMapper),
  ],
  ['PersistentVolumeClaimResize', persistentVolumeClaimResize],
  ['RuntimeClass', runtimeClass],
  ['CertificateApproval', certificateApproval],
  ['CertificateSigning', certificateSigning],
  ['ClusterTrustBundleAttest', clusterTrustBundleAttest],
  ['CertificateSubjectRestriction', certificateSubjectRestriction],
  ['DefaultIngressClass', defaultIngressClass],
  ['DenyServiceExternalIPs', denyServiceExternalIPs],
  [
    'MutatingAdmissionWebhook',
    (made) =>
      mutatingAdmissionWebhook({
        ...made.webhooks,
        context: made,
        configuration: made.configuration.MutatingAdmissionWebhook,
      }),
  ],
  [
    'ValidatingAdmissionWebhook',
    (made) =>
      validatingAdmissionWebhook({
        ...made.webhooks,
        context: made,
        configuration: made.configuration.ValidatingAdmissionWebhook,
      }),
  ],
  ['MutatingAdmissionPolicy', (made) => mutatingAdmissionPolicy({ ...made.policies, context: made })],
  ['ValidatingAdmissionPolicy', (made) => validatingAdmissionPolicy({ ...made.policies, context: made })],
  ['PodTopologyLabels', podTopologyLabels],
  ['PodGroupWorkloadExists', podGroupWorkloadExists],
  ['NodeDeclaredFeatureValidator', nodeDeclaredFeatureValidator],
  ['JobValidation', jobValidation],
  ['PodResizeValidator', podResizeValidator],
  ['ResourceQuota', (made) => resourceQuota(made, made.configuration.ResourceQuota)],
  ['AlwaysDeny', alwaysDeny],
]);

/** Returns the plug-ins with these names, in the given order. AlwaysAdmit is omitted, because it does nothing. */
export const admissionPlugins = (names: readonly string[], dependencies: AdmissionDependencies): AdmissionPlugin[] =>
  names.flatMap((name) => factories.get(name)?.(dependencies) ?? []);

/** Returns the configuration that a plug-in requires. Throws an Error when it is missing. */
function configured<Name extends keyof AdmissionConfiguration>(
  { configuration }: AdmissionDependencies,
  name: Name,
): NonNullable<AdmissionConfiguration[Name]> {
  const found = configuration[name];
  if (!found) throw new Error(`the admission plug-in ${name} needs a configuration`);
  return found;
}

const roles: ReadonlySet<string> = new Set(['clusterroles', 'roles']);

/**
 * Prevents privilege escalation: users can only grant permissions that they have. Upstream checks this in the storage of RBAC
 * objects, so no flag can disable it. Hence this is a plug-in without a name. It runs after the mutating plug-ins.
 */
export const rbacEscalation = ({ authorizer, rbac }: Authorization): AdmissionPlugin => ({
  name: '',
  operations: ['CREATE', 'UPDATE'],
  resources: ['clusterroles', 'roles', 'clusterrolebindings', 'rolebindings'].map(
    (resource) => `${resource}.rbac.authorization.k8s.io`,
  ),
  async admit({ resource, object, oldObject, user, namespace, name, operation }) {
    if (!object) return;
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
