/** A union in OpenAPI documents. It is not part of the catalogue, because nothing else in the server uses it. */
interface Union {
  readonly discriminator?: string;
  readonly 'fields-to-discriminateBy': Readonly<Record<string, string>>;
}

/** Types of which at most one field is set. */
export const unions: ReadonlyMap<string, readonly Union[]> = new Map([
  [
    'core.v1.AppArmorProfile',
    [{ discriminator: 'type', 'fields-to-discriminateBy': { localhostProfile: 'LocalhostProfile' } }],
  ],
  ['core.v1.PodSchedulingGroup', [{ 'fields-to-discriminateBy': { podGroupName: 'PodGroupName' } }]],
  [
    'core.v1.SeccompProfile',
    [{ discriminator: 'type', 'fields-to-discriminateBy': { localhostProfile: 'LocalhostProfile' } }],
  ],
  ['flowcontrol.v1.LimitResponse', [{ discriminator: 'type', 'fields-to-discriminateBy': { queuing: 'Queuing' } }]],
  [
    'flowcontrol.v1.PriorityLevelConfigurationSpec',
    [{ discriminator: 'type', 'fields-to-discriminateBy': { exempt: 'Exempt', limited: 'Limited' } }],
  ],
  [
    'flowcontrol.v1.Subject',
    [
      {
        discriminator: 'kind',
        'fields-to-discriminateBy': { group: 'Group', serviceAccount: 'ServiceAccount', user: 'User' },
      },
    ],
  ],
  ['scheduling.v1alpha2.PodGroupSchedulingPolicy', [{ 'fields-to-discriminateBy': { basic: 'Basic', gang: 'Gang' } }]],
  ['scheduling.v1alpha2.PodGroupTemplateReference', [{ 'fields-to-discriminateBy': { workload: 'Workload' } }]],
]);

/** Fields that upstream marks as granular, although that is the default. */
export const granularFields: ReadonlySet<string> = new Set([
  'core.v1.PersistentVolumeClaimStatus.allocatedResourceStatuses',
  'core.v1.PersistentVolumeSpec.claimRef',
]);

/** Atomic lists without a list type in upstream's documents, besides the items of lists such as `PodList`. */
export const unmarkedLists: ReadonlySet<string> = new Set(['meta.v1.APIResource.verbs']);

/** Fields with an explicit default that equals their type's zero value, although they are not always encoded. */
export const statedZeros: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['autoscaling.v1.ScaleSpec.replicas', 0],
  ['core.v1.AzureDiskVolumeSource.readOnly', false],
  ['core.v1.FileKeySelector.optional', false],
  ['core.v1.GRPCAction.service', ''],
  ['core.v1.ReplicationControllerSpec.minReadySeconds', 0],
]);

/** Byte arrays that upstream marks as atomic lists, which they are in Go. */
export const bytesAsLists: ReadonlySet<string> = new Set(['apiregistration.v1.APIServiceSpec.caBundle']);

/** Group versions that upstream can decode, but does not serve. They are listed among the kinds of `DeleteOptions`. */
export const unservedGroupVersions: readonly string[] = [
  'admission.k8s.io/v1',
  'admission.k8s.io/v1beta1',
  'apiextensions.k8s.io/v1beta1',
  'apiregistration.k8s.io/v1beta1',
  'apps/v1beta1',
  'apps/v1beta2',
  'authentication.k8s.io/v1alpha1',
  'authentication.k8s.io/v1beta1',
  'authorization.k8s.io/v1beta1',
  'batch/v1beta1',
  'discovery.k8s.io/v1beta1',
  'events.k8s.io/v1beta1',
  'extensions/v1beta1',
  'flowcontrol.apiserver.k8s.io/v1beta1',
  'flowcontrol.apiserver.k8s.io/v1beta2',
  'flowcontrol.apiserver.k8s.io/v1beta3',
  'imagepolicy.k8s.io/v1alpha1',
  'node.k8s.io/v1alpha1',
  'node.k8s.io/v1beta1',
  'policy/v1beta1',
  'rbac.authorization.k8s.io/v1alpha1',
  'rbac.authorization.k8s.io/v1beta1',
  'scheduling.k8s.io/v1beta1',
  'storage.k8s.io/v1alpha1',
];

/** Enums, in any group and version, before whose values upstream has an additional empty line. */
export const spacedEnums: ReadonlySet<string> = new Set([
  'DeviceAllocationConfiguration.source',
  'DeviceRequest.allocationMode',
  'DeviceSubRequest.allocationMode',
  'DeviceTaint.effect',
  'DeviceToleration.effect',
  'DeviceToleration.operator',
  'ExactDeviceRequest.allocationMode',
  'Mutation.patchType',
  'NamedRuleWithOperations.scope',
  'RuleWithOperations.scope',
]);
