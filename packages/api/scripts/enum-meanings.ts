/** Fields, as `Type.field`, and what their values mean. */
type EnumMeanings = readonly [fields: readonly string[], meanings: Readonly<Record<string, string>>];

const evictionByTaint = 'takes running pods away as well.';

/**
 * What values of fields mean, of those of which upstream says it. Differs from upstream: the sentences are ours, because the published
 * document has none.
 */
const enumMeanings: readonly EnumMeanings[] = [
  [
    ['MatchResources.matchPolicy', 'MutatingWebhook.matchPolicy', 'ValidatingWebhook.matchPolicy'],
    {
      Equivalent: 'matches requests for another group or version of a resource that a rule names as well.',
      Exact: 'matches only requests for just what a rule names.',
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
      Fail: 'refuses a request when an error occurs.',
      Ignore: 'goes on as if nothing were there when an error occurs.',
    },
  ],
  [
    ['MutatingAdmissionPolicySpec.reinvocationPolicy', 'MutatingWebhook.reinvocationPolicy'],
    {
      IfNeeded: 'asks once more when something else has changed the object since.',
      Never: 'asks once for each request.',
    },
  ],
  [
    ['MutatingWebhook.sideEffects', 'ValidatingWebhook.sideEffects'],
    {
      None: 'has no side effects.',
      NoneOnDryRun: 'has no side effects for requests that are dry runs.',
      Some: 'may have side effects: dry runs that it would be asked about are refused.',
      Unknown: 'nobody knows: dry runs that it would be asked about are refused.',
    },
  ],
  [
    ['Mutation.patchType'],
    { ApplyConfiguration: 'the mutation is an apply configuration.', JSONPatch: 'the mutation is a JSON patch.' },
  ],
  [
    ['NamedRuleWithOperations.scope', 'RuleWithOperations.scope'],
    {
      '*': 'matches whatever the scope is.',
      Cluster: 'matches what is in no namespace, namespaces among them.',
      Namespaced: 'matches what is in a namespace.',
    },
  ],
  [
    ['ParamRef.parameterNotFoundAction'],
    {
      Allow: 'goes on when there are no parameters.',
      Deny: 'fails, as the failure policy has it, when there are no parameters.',
    },
  ],
  [
    ['DaemonSetUpdateStrategy.type'],
    {
      OnDelete: 'replaces a pod when somebody has deleted it.',
      RollingUpdate: 'replaces the pods by new ones, node after node.',
    },
  ],
  [
    ['DeploymentStrategy.type'],
    {
      Recreate: 'deletes all pods before it makes new ones.',
      RollingUpdate: 'makes new pods and deletes old ones little by little.',
    },
  ],
  [
    ['StatefulSetSpec.podManagementPolicy'],
    {
      OrderedReady:
        'makes one pod after the other, and deletes them the other way round; each waits for the one before.',
      Parallel: 'makes and deletes all pods at once.',
    },
  ],
  [
    ['StatefulSetUpdateStrategy.type'],
    {
      OnDelete: 'replaces a pod when somebody has deleted it.',
      RollingUpdate: 'replaces the pods by those of the update revision, one after the other.',
    },
  ],
  [
    ['CronJobSpec.concurrencyPolicy'],
    {
      Allow: 'starts a job while others run.',
      Forbid: 'leaves a run out while the one before goes on.',
      Replace: 'ends the job that runs, and starts another one.',
    },
  ],
  [
    ['JobSpec.completionMode'],
    {
      Indexed: 'gives every pod an index; the job is complete when there was a success for each.',
      NonIndexed: 'counts successes; the job is complete when there were as many as completions says.',
    },
  ],
  [
    ['JobSpec.podReplacementPolicy'],
    {
      Failed: 'replaces a pod when it has ended.',
      TerminatingOrFailed: 'replaces a pod as soon as it is being deleted, or has failed.',
    },
  ],
  [
    ['PodFailurePolicyRule.action'],
    {
      Count: 'counts the failure towards backoffLimit, as without a rule.',
      FailIndex: 'lets the index fail, which is not tried again; for jobs with backoffLimitPerIndex.',
      FailJob: 'lets the job fail, and ends its pods.',
      Ignore: 'does not count the failure, and replaces the pod.',
    },
  ],
  [
    ['AppArmorProfile.type'],
    {
      Localhost: 'a profile that is loaded on the node.',
      RuntimeDefault: 'the profile that the container runtime has by default.',
      Unconfined: 'no profile.',
    },
  ],
  [
    ['Container.imagePullPolicy', 'EphemeralContainer.imagePullPolicy', 'ImageVolumeSource.pullPolicy'],
    {
      Always: 'pulls the image each time; without it, there is no start.',
      IfNotPresent: 'pulls the image where the node does not have it.',
      Never: 'takes the image that the node has, and fails without one.',
    },
  ],
  [
    ['Container.terminationMessagePolicy', 'EphemeralContainer.terminationMessagePolicy'],
    {
      FallbackToLogsOnError: 'takes the end of the log where the file is empty and the container failed.',
      File: 'takes what is in the file at terminationMessagePath.',
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
  [['HTTPGetAction.scheme'], { HTTP: 'asks by http://.', HTTPS: 'asks by https://.' }],
  [
    ['HostPathVolumeSource.type'],
    {
      '': 'nothing is checked.',
      BlockDevice: 'there has to be a block device.',
      CharDevice: 'there has to be a character device.',
      Directory: 'there has to be a directory.',
      DirectoryOrCreate: 'makes a directory, with mode 0755 and the owner of the kubelet, where there is nothing.',
      File: 'there has to be a file.',
      FileOrCreate: 'makes an empty file, with mode 0644 and the owner of the kubelet, where there is nothing.',
      Socket: 'there has to be a UNIX socket.',
    },
  ],
  [
    ['ModifyVolumeStatus.status'],
    {
      InProgress: 'the volume is being modified.',
      Infeasible: 'the driver has refused it: another VolumeAttributesClass is needed.',
      Pending: 'something is missing, such as the VolumeAttributesClass.',
    },
  ],
  [
    ['NamespaceStatus.phase'],
    { Active: 'the namespace can be used.', Terminating: 'what is in the namespace is being deleted.' },
  ],
  [
    ['NodeStatus.phase'],
    {
      Pending: 'the node is known, and not set up yet.',
      Running: 'the node is set up.',
      Terminated: 'the node was taken out of the cluster.',
    },
  ],
  [
    ['PersistentVolumeClaimSpec.volumeMode', 'PersistentVolumeSpec.volumeMode'],
    { Block: 'is given as a raw block device.', Filesystem: 'is given with a file system.' },
  ],
  [
    ['PersistentVolumeClaimStatus.phase'],
    {
      Bound: 'the claim has a volume.',
      Lost: 'the volume of the claim is gone, with all that was in it.',
      Pending: 'the claim has no volume yet.',
    },
  ],
  [
    ['PersistentVolumeSpec.persistentVolumeReclaimPolicy', 'StorageClass.reclaimPolicy'],
    {
      Delete: 'the volume is deleted when its claim is; its plug-in must be able to.',
      Recycle: 'the volume is emptied and offered again when its claim is deleted; its plug-in must be able to.',
      Retain: 'the volume is kept as it is when its claim is deleted, until an administrator looks after it.',
    },
  ],
  [
    ['PersistentVolumeStatus.phase'],
    {
      Available: 'no claim has the volume yet.',
      Bound: 'a claim has the volume.',
      Failed: 'the volume could not be recycled or deleted after its claim was gone.',
      Pending: 'the volume is not there yet.',
      Released: 'the claim is gone, and the volume not reclaimed yet.',
    },
  ],
  [
    ['PodSecurityContext.fsGroupChangePolicy'],
    {
      Always: 'changes owners and permissions each time a volume is mounted.',
      OnRootMismatch: 'changes them only where those of the root directory are others than wanted.',
    },
  ],
  [
    ['PodSecurityContext.supplementalGroupsPolicy'],
    {
      Merge: 'adds the groups that the image gives the user to those of the security context.',
      Strict: 'takes the groups of the security context alone.',
    },
  ],
  [
    ['PodSpec.dnsPolicy'],
    {
      ClusterFirst: 'asks the DNS of the cluster, but for pods on the network of the host, which ask that of the node.',
      ClusterFirstWithHostNet: 'asks the DNS of the cluster, on the network of the host too.',
      Default: 'asks the DNS of the node.',
      None: 'takes only what dnsConfig says.',
    },
  ],
  [
    ['PodSpec.preemptionPolicy', 'PriorityClass.preemptionPolicy'],
    {
      Never: 'never takes the place of other pods.',
      PreemptLowerPriority: 'may take the place of pods of lower priority.',
    },
  ],
  [
    ['PodStatus.phase'],
    {
      Failed: 'all containers have ended, and one at least has failed.',
      Pending: 'the pod is known, and not all of its containers have been started.',
      Running: 'the pod is on a node, all containers have been started, and one at least runs or will again.',
      Succeeded: 'all containers have ended without an error, and will not be started again.',
      Unknown: 'nobody knows. Not in use any more.',
    },
  ],
  [
    ['PodStatus.qosClass'],
    {
      BestEffort: 'no container has requests or limits.',
      Burstable: 'some have, but not all the same.',
      Guaranteed: 'all containers have limits that are their requests.',
    },
  ],
  [
    ['ScopedResourceSelectorRequirement.scopeName'],
    {
      BestEffort: 'pods of the class BestEffort.',
      CrossNamespacePodAffinity: 'pods with affinity to pods of other namespaces.',
      NotBestEffort: 'pods of another class than BestEffort.',
      NotTerminating: 'pods without activeDeadlineSeconds.',
      PriorityClass: 'pods with a priority class.',
      Terminating: 'pods with activeDeadlineSeconds.',
      VolumeAttributesClass: 'claims with a volume attributes class.',
    },
  ],
  [
    ['SeccompProfile.type'],
    {
      Localhost: 'a profile from a file on the node, below the folder seccomp of the kubelet.',
      RuntimeDefault: 'the profile that the container runtime has by default.',
      Unconfined: 'no profile.',
    },
  ],
  [
    ['SecurityContext.procMount'],
    {
      Default: 'hides and protects of /proc what the container runtime does by default.',
      Unmasked: 'shows /proc as it is.',
    },
  ],
  [
    ['ServiceSpec.externalTrafficPolicy'],
    {
      Cluster: 'goes to any endpoint.',
      Local:
        'goes to endpoints on the node that it came to, and keeps the address of the client; is dropped where there are none.',
    },
  ],
  [
    ['ServiceSpec.internalTrafficPolicy'],
    {
      Cluster: 'goes to any endpoint.',
      Local: 'goes to endpoints on the node of the client; is dropped where there are none.',
    },
  ],
  [
    ['ServiceSpec.ipFamilyPolicy'],
    {
      PreferDualStack: 'has addresses of both families where the cluster has both.',
      RequireDualStack: 'has addresses of both families, and fails where the cluster has one.',
      SingleStack: 'has an address of one family.',
    },
  ],
  [
    ['ServiceSpec.sessionAffinity'],
    { ClientIP: 'a client keeps its endpoint, by its address.', None: 'any endpoint each time.' },
  ],
  [
    ['ServiceSpec.type'],
    {
      ClusterIP: 'is reached inside the cluster, at an address of its own.',
      ExternalName: 'is another name, in DNS, for a host outside.',
      LoadBalancer: 'is reached by a load balancer outside of the cluster as well, and as with NodePort.',
      NodePort: 'is reached at a port of every node as well, and as with ClusterIP.',
    },
  ],
  [
    ['Taint.effect', 'Toleration.effect'],
    {
      NoExecute: evictionByTaint,
      NoSchedule: 'lets no further pods onto the node; those that are there stay.',
      PreferNoSchedule: 'lets further pods onto the node only where there is no other.',
    },
  ],
  [
    ['TopologySpreadConstraint.nodeAffinityPolicy', 'TopologySpreadConstraint.nodeTaintsPolicy'],
    { Honor: 'counts only nodes that the pod could be on by it.', Ignore: 'counts all nodes.' },
  ],
  [
    ['TopologySpreadConstraint.whenUnsatisfiable'],
    { DoNotSchedule: 'lets the pod wait.', ScheduleAnyway: 'takes the node that comes closest.' },
  ],
  [
    ['VolumeMount.mountPropagation'],
    {
      Bidirectional: 'mounts that are made in the container or outside are seen on both sides.',
      HostToContainer: 'mounts that are made outside are seen in the container.',
      None: 'mounts that are made on one side are not seen on the other.',
    },
  ],
  [
    ['EndpointSlice.addressType'],
    { FQDN: 'full names of hosts.', IPv4: 'addresses of IPv4.', IPv6: 'addresses of IPv6.' },
  ],
  [
    ['HTTPIngressPath.pathType'],
    {
      Exact: 'the path is just this one.',
      ImplementationSpecific: 'the ingress class decides.',
      Prefix: 'the path begins with these parts, between slashes: /a matches /a/b, and not /ab. The longest wins.',
    },
  ],
  [
    ['PodDisruptionBudgetSpec.unhealthyPodEvictionPolicy'],
    {
      AlwaysAllow: 'a pod that runs and is not ready may be evicted at any time.',
      IfHealthyBudget: 'a pod that runs and is not ready may be evicted while enough others are healthy.',
    },
  ],
  [
    ['DeviceTaint.effect', 'DeviceToleration.effect'],
    {
      NoExecute: evictionByTaint,
      NoSchedule: 'lets no further pods use the device; those that do go on.',
      None: 'has no effect, and is there to be read.',
    },
  ],
  [
    ['StorageClass.volumeBindingMode'],
    {
      Immediate: 'a claim gets its volume at once.',
      WaitForFirstConsumer: 'a claim gets its volume when the first pod that uses it is scheduled.',
    },
  ],
  [
    ['ValidationRule.reason'],
    {
      FieldValueDuplicate: 'a value is there twice that must be there once.',
      FieldValueForbidden: 'a value is not allowed as things are.',
      FieldValueInvalid: 'a value does not have the right form.',
      FieldValueRequired: 'a value is missing.',
    },
  ],
];

/** `field.value` → what it means, for a type and its fields. */
export function meaningsOf(type: string, fields: readonly string[]): [key: string, meaning: string][] {
  return enumMeanings.flatMap(([named, meanings]) =>
    fields
      .filter((field) => named.includes(`${type}.${field}`))
      .flatMap((field) =>
        Object.entries(meanings).map(([value, meaning]): [string, string] => [`${field}.${value}`, meaning]),
      ),
  );
}
