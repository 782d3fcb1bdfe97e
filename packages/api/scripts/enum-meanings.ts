/** Fields, as `Type.field`, and the meanings of their values: continuations of a line that starts with the value. */
type EnumMeanings = readonly [fields: readonly string[], meanings: Readonly<Record<string, string>>];

const evictionByTaint = 'also evicts running pods.';

/**
 * Descriptions of enum values, for the fields whose values upstream describes. Differs from upstream: the sentences are ours, because the
 * published OpenAPI document has none.
 */
const enumMeanings: readonly EnumMeanings[] = [
  [
    ['MatchResources.matchPolicy', 'MutatingWebhook.matchPolicy', 'ValidatingWebhook.matchPolicy'],
    {
      Equivalent: 'also matches requests for other groups or versions of a resource in the rules.',
      Exact: 'matches only requests for exactly the resources in the rules.',
    },
  ],
  [
    [
      'MutatingAdmissionPolicySpec.failurePolicy',
      'ValidatingAdmissionPolicySpec.failurePolicy',
      'MutatingWebhook.failurePolicy',
      'ValidatingWebhook.failurePolicy',
    ],
    {
      Fail: 'refuses the request when an error occurs.',
      Ignore: 'ignores errors and continues.',
    },
  ],
  [
    ['MutatingAdmissionPolicySpec.reinvocationPolicy', 'MutatingWebhook.reinvocationPolicy'],
    {
      IfNeeded: 'calls it again when the object was changed after the first call.',
      Never: 'calls it once per request.',
    },
  ],
  [
    ['MutatingWebhook.sideEffects', 'ValidatingWebhook.sideEffects'],
    {
      None: 'has no side effects.',
      NoneOnDryRun: 'has no side effects on dry run requests.',
      Some: 'may have side effects: matching dry run requests are refused.',
      Unknown: 'side effects are unknown: matching dry run requests are refused.',
    },
  ],
  [
    ['Mutation.patchType'],
    {
      ApplyConfiguration: 'the expression returns an apply configuration.',
      JSONPatch: 'the expression returns a JSON patch.',
    },
  ],
  [
    ['NamedRuleWithOperations.scope', 'RuleWithOperations.scope'],
    {
      '*': 'matches resources of any scope.',
      Cluster: 'matches cluster-scoped resources, including namespaces.',
      Namespaced: 'matches namespaced resources.',
    },
  ],
  [
    ['ParamRef.parameterNotFoundAction'],
    {
      Allow: 'counts as successful when no parameters are found.',
      Deny: 'applies the failure policy when no parameters are found.',
    },
  ],
  [
    ['DaemonSetUpdateStrategy.type'],
    {
      OnDelete: 'replaces a pod only after it was deleted manually.',
      RollingUpdate: 'replaces pods by new ones, node by node.',
    },
  ],
  [
    ['DeploymentStrategy.type'],
    {
      Recreate: 'deletes all pods before it creates new ones.',
      RollingUpdate: 'gradually creates new pods and deletes old ones.',
    },
  ],
  [
    ['StatefulSetSpec.podManagementPolicy'],
    {
      OrderedReady: 'creates pods one by one when the previous one is ready, and deletes them in reverse order.',
      Parallel: 'creates and deletes all pods at once.',
    },
  ],
  [
    ['StatefulSetUpdateStrategy.type'],
    {
      OnDelete: 'replaces a pod only after it was deleted manually.',
      RollingUpdate: 'replaces pods by those of the update revision, one by one.',
    },
  ],
  [
    ['CronJobSpec.concurrencyPolicy'],
    {
      Allow: 'starts a job while earlier ones are running.',
      Forbid: 'skips a run while the previous job is running.',
      Replace: 'replaces the running job by a new one.',
    },
  ],
  [
    ['JobSpec.completionMode'],
    {
      Indexed: 'gives every pod an index; the job is complete when one pod per index has succeeded.',
      NonIndexed: 'counts successful pods; the job is complete when their number reaches completions.',
    },
  ],
  [
    ['JobSpec.podReplacementPolicy'],
    {
      Failed: 'replaces a pod when it has terminated.',
      TerminatingOrFailed: 'replaces a pod as soon as it is terminating or has failed.',
    },
  ],
  [
    ['PodFailurePolicyRule.action'],
    {
      Count: 'counts the failure towards backoffLimit, as without a rule.',
      FailIndex: 'fails the index without further retries; for jobs with backoffLimitPerIndex.',
      FailJob: 'fails the job and terminates its running pods.',
      Ignore: 'does not count the failure, and replaces the pod.',
    },
  ],
  [
    ['AppArmorProfile.type'],
    {
      Localhost: 'a profile loaded on the node.',
      RuntimeDefault: 'the profile that the container runtime has by default.',
      Unconfined: 'no profile.',
    },
  ],
  [
    ['Container.imagePullPolicy', 'EphemeralContainer.imagePullPolicy', 'ImageVolumeSource.pullPolicy'],
    {
      Always: 'pulls the image before each start; the container fails if that is not possible.',
      IfNotPresent: 'pulls the image if the node does not have it.',
      Never: 'uses the image on the node; the container fails if there is none.',
    },
  ],
  [
    ['Container.terminationMessagePolicy', 'EphemeralContainer.terminationMessagePolicy'],
    {
      FallbackToLogsOnError: 'uses the end of the log if the file is empty and the container failed.',
      File: 'uses the contents of the file at terminationMessagePath.',
    },
  ],
  [
    [
      'ContainerPort.protocol',
      'EndpointPort.protocol',
      'IngressPortStatus.protocol',
      'NetworkPolicyPort.protocol',
      'PortStatus.protocol',
      'ServicePort.protocol',
    ],
    { SCTP: 'the protocol SCTP.', TCP: 'the protocol TCP.', UDP: 'the protocol UDP.' },
  ],
  [['HTTPGetAction.scheme'], { HTTP: 'uses http://.', HTTPS: 'uses https://.' }],
  [
    ['HostPathVolumeSource.type'],
    {
      '': 'nothing is checked.',
      BlockDevice: 'a block device must exist.',
      CharDevice: 'a character device must exist.',
      Directory: 'a directory must exist.',
      DirectoryOrCreate: 'creates a directory if nothing exists, with mode 0755 and the owner of the kubelet.',
      File: 'a file must exist.',
      FileOrCreate: 'creates an empty file if nothing exists, with mode 0644 and the owner of the kubelet.',
      Socket: 'a UNIX socket must exist.',
    },
  ],
  [
    ['ModifyVolumeStatus.status'],
    {
      InProgress: 'the volume is being modified.',
      Infeasible: 'the driver has refused the change: another VolumeAttributesClass is needed.',
      Pending: 'a requirement is missing, such as the VolumeAttributesClass.',
    },
  ],
  [
    ['NamespaceStatus.phase'],
    { Active: 'the namespace can be used.', Terminating: 'the objects in the namespace are being deleted.' },
  ],
  [
    ['NodeStatus.phase'],
    {
      Pending: 'the node was created but is not configured yet.',
      Running: 'the node is configured.',
      Terminated: 'the node was removed from the cluster.',
    },
  ],
  [
    ['PersistentVolumeClaimSpec.volumeMode', 'PersistentVolumeSpec.volumeMode'],
    { Block: 'is provided as a raw block device.', Filesystem: 'is provided with a file system.' },
  ],
  [
    ['PersistentVolumeClaimStatus.phase'],
    {
      Bound: 'the claim is bound to a volume.',
      Lost: 'the volume of the claim no longer exists, and its data is lost.',
      Pending: 'the claim is not bound yet.',
    },
  ],
  [
    ['PersistentVolumeSpec.persistentVolumeReclaimPolicy', 'StorageClass.reclaimPolicy'],
    {
      Delete: 'the volume is deleted with its claim; the volume plugin must support that.',
      Recycle:
        'the volume is emptied and made available when its claim is deleted; the volume plugin must support that.',
      Retain: 'the volume is kept when its claim is deleted, until an administrator reclaims it.',
    },
  ],
  [
    ['PersistentVolumeStatus.phase'],
    {
      Available: 'the volume is not bound to a claim.',
      Bound: 'the volume is bound to a claim.',
      Failed: 'the volume could not be recycled or deleted after its claim was deleted.',
      Pending: 'the volume is not available yet.',
      Released: 'the claim was deleted, and the volume is not reclaimed yet.',
    },
  ],
  [
    ['PodSecurityContext.fsGroupChangePolicy'],
    {
      Always: 'changes owners and permissions each time a volume is mounted.',
      OnRootMismatch: 'changes owners and permissions only if those of the root directory differ.',
    },
  ],
  [
    ['PodSecurityContext.supplementalGroupsPolicy'],
    {
      Merge: 'adds the groups of the user in the image to those of the security context.',
      Strict: 'uses only the groups of the security context.',
    },
  ],
  [
    ['PodSpec.dnsPolicy'],
    {
      ClusterFirst: 'uses the cluster DNS; pods with hostNetwork use the DNS of the node.',
      ClusterFirstWithHostNet: 'uses the cluster DNS, also for pods with hostNetwork.',
      Default: 'uses the DNS of the node.',
      None: 'uses only the settings in dnsConfig.',
    },
  ],
  [
    ['PodSpec.preemptionPolicy', 'PriorityClass.preemptionPolicy'],
    {
      Never: 'never preempts other pods.',
      PreemptLowerPriority: 'may preempt pods of lower priority.',
    },
  ],
  [
    ['PodStatus.phase'],
    {
      Failed: 'all containers have terminated, and at least one has failed.',
      Pending: 'the pod was accepted, and not all of its containers have been started.',
      Running:
        'the pod is bound to a node, all containers have been started, and at least one is running or being restarted.',
      Succeeded: 'all containers have terminated successfully, and will not be restarted.',
      Unknown: 'the state could not be determined. No longer used.',
    },
  ],
  [
    ['PodStatus.qosClass'],
    {
      BestEffort: 'no container has requests or limits.',
      Burstable: 'some containers have requests or limits, but the pod is not Guaranteed.',
      Guaranteed: 'all containers have cpu and memory limits that equal their requests.',
    },
  ],
  [
    ['ScopedResourceSelectorRequirement.scopeName'],
    {
      BestEffort: 'pods of the class BestEffort.',
      CrossNamespacePodAffinity: 'pods with affinity to pods of other namespaces.',
      NotBestEffort: 'pods of other classes than BestEffort.',
      NotTerminating: 'pods without activeDeadlineSeconds.',
      PriorityClass: 'pods with a priority class.',
      Terminating: 'pods with activeDeadlineSeconds.',
      VolumeAttributesClass: 'claims with a volume attributes class.',
    },
  ],
  [
    ['SeccompProfile.type'],
    {
      Localhost: 'a profile in a file on the node, in the seccomp folder of the kubelet.',
      RuntimeDefault: 'the profile that the container runtime has by default.',
      Unconfined: 'no profile.',
    },
  ],
  [
    ['SecurityContext.procMount'],
    {
      Default: 'masks the parts of /proc that the container runtime masks by default.',
      Unmasked: 'does not mask /proc.',
    },
  ],
  [
    ['ServiceSpec.externalTrafficPolicy'],
    {
      Cluster: 'is routed to any endpoint.',
      Local:
        'is routed to endpoints on the receiving node, with the client address preserved; dropped if there are none.',
    },
  ],
  [
    ['ServiceSpec.internalTrafficPolicy'],
    {
      Cluster: 'is routed to any endpoint.',
      Local: 'is routed to endpoints on the node of the client; dropped if there are none.',
    },
  ],
  [
    ['ServiceSpec.ipFamilyPolicy'],
    {
      PreferDualStack: 'has addresses of both families if the cluster has both.',
      RequireDualStack: 'has addresses of both families, and fails if the cluster has only one.',
      SingleStack: 'has an address of one family.',
    },
  ],
  [
    ['ServiceSpec.sessionAffinity'],
    {
      ClientIP: 'routes all connections from a client address to the same endpoint.',
      None: 'routes each connection to any endpoint.',
    },
  ],
  [
    ['ServiceSpec.type'],
    {
      ClusterIP: 'is reachable inside the cluster, at a cluster IP.',
      ExternalName: 'is an alias in DNS for an external host.',
      LoadBalancer: 'is reachable through an external load balancer, and like NodePort.',
      NodePort: 'is reachable at a port of every node, and like ClusterIP.',
    },
  ],
  [
    ['Taint.effect', 'Toleration.effect'],
    {
      NoExecute: evictionByTaint,
      NoSchedule: 'does not allow new pods on the node; running pods stay.',
      PreferNoSchedule: 'allows new pods on the node only if there is no other node.',
    },
  ],
  [
    ['TopologySpreadConstraint.nodeAffinityPolicy', 'TopologySpreadConstraint.nodeTaintsPolicy'],
    { Honor: 'counts only nodes that the pod could run on by this criterion.', Ignore: 'counts all nodes.' },
  ],
  [
    ['TopologySpreadConstraint.whenUnsatisfiable'],
    {
      DoNotSchedule: 'does not schedule the pod.',
      ScheduleAnyway: 'schedules the pod on the node that minimizes the skew.',
    },
  ],
  [
    ['VolumeMount.mountPropagation'],
    {
      Bidirectional: 'mounts made in the container or on the host are visible on both sides.',
      HostToContainer: 'mounts made on the host are visible in the container.',
      None: 'mounts made on one side are not visible on the other.',
    },
  ],
  [
    ['EndpointSlice.addressType'],
    { FQDN: 'fully qualified host names.', IPv4: 'IPv4 addresses.', IPv6: 'IPv6 addresses.' },
  ],
  [
    ['HTTPIngressPath.pathType'],
    {
      Exact: 'matches exactly this path.',
      ImplementationSpecific: 'the matching depends on the ingress class.',
      Prefix: 'matches paths that begin with these elements: /a matches /a/b, but not /ab. The longest match wins.',
    },
  ],
  [
    ['PodDisruptionBudgetSpec.unhealthyPodEvictionPolicy'],
    {
      AlwaysAllow: 'a running pod that is not ready may always be evicted.',
      IfHealthyBudget: 'a running pod that is not ready may be evicted if enough other pods are healthy.',
    },
  ],
  [
    ['DeviceTaint.effect', 'DeviceToleration.effect'],
    {
      NoExecute: evictionByTaint,
      NoSchedule: 'does not allow new pods to use the device; running pods stay.',
      None: 'has no effect except as information.',
    },
  ],
  [
    ['StorageClass.volumeBindingMode'],
    {
      Immediate: 'a claim is bound to a volume immediately.',
      WaitForFirstConsumer: 'a claim is bound to a volume when the first pod that uses it is scheduled.',
    },
  ],
  [
    ['ValidationRule.reason'],
    {
      FieldValueDuplicate: 'a value that must be unique is duplicated.',
      FieldValueForbidden: 'a value is not allowed under the current conditions.',
      FieldValueInvalid: 'a value is malformed.',
      FieldValueRequired: 'a required value is missing.',
    },
  ],
];

/** Returns pairs of `field.value` and its meaning, for a type and its fields. */
export function meaningsOf(type: string, fields: readonly string[]): [key: string, meaning: string][] {
  return enumMeanings.flatMap(([named, meanings]) =>
    fields
      .filter((field) => named.includes(`${type}.${field}`))
      .flatMap((field) =>
        Object.entries(meanings).map(([value, meaning]): [string, string] => [`${field}.${value}`, meaning]),
      ),
  );
}
