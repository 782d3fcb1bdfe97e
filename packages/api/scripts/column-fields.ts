/**
 * The field that a Table column shows, for columns that have the field's description: kind → column → field. The empty
 * kind holds the columns that all kinds have.
 */
export const columnFields: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '': {
    Name: 'meta.v1.ObjectMeta.name',
    Age: 'meta.v1.ObjectMeta.creationTimestamp',
    'Created At': 'meta.v1.ObjectMeta.creationTimestamp',
  },
  '/ConfigMap': {
    Data: 'core.v1.ConfigMap.data',
  },
  '/Endpoints': {
    Endpoints: 'core.v1.Endpoints.subsets',
  },
  '/Event': {
    'Last Seen': 'core.v1.Event.lastTimestamp',
    Type: 'core.v1.Event.type',
    Reason: 'core.v1.Event.reason',
    Object: 'core.v1.Event.involvedObject',
    Subobject: 'core.v1.ObjectReference.fieldPath',
    Source: 'core.v1.Event.source',
    Message: 'core.v1.Event.message',
    'First Seen': 'core.v1.Event.firstTimestamp',
    Count: 'core.v1.Event.count',
  },
  '/Node': {
    Version: 'core.v1.NodeSystemInfo.kubeletVersion',
    'Internal-IP': 'core.v1.NodeStatus.addresses',
    'External-IP': 'core.v1.NodeStatus.addresses',
    'OS-Image': 'core.v1.NodeSystemInfo.osImage',
    'Kernel-Version': 'core.v1.NodeSystemInfo.kernelVersion',
    'Container-Runtime': 'core.v1.NodeSystemInfo.containerRuntimeVersion',
  },
  '/PersistentVolume': {
    Capacity: 'core.v1.PersistentVolumeSpec.capacity',
    'Access Modes': 'core.v1.PersistentVolumeSpec.accessModes',
    'Reclaim Policy': 'core.v1.PersistentVolumeSpec.persistentVolumeReclaimPolicy',
    Status: 'core.v1.PersistentVolumeStatus.phase',
    Claim: 'core.v1.PersistentVolumeSpec.claimRef',
    Reason: 'core.v1.PersistentVolumeStatus.reason',
    VolumeMode: 'core.v1.PersistentVolumeSpec.volumeMode',
  },
  '/PersistentVolumeClaim': {
    Status: 'core.v1.PersistentVolumeClaimStatus.phase',
    Volume: 'core.v1.PersistentVolumeClaimSpec.volumeName',
    Capacity: 'core.v1.PersistentVolumeClaimStatus.capacity',
    'Access Modes': 'core.v1.PersistentVolumeClaimStatus.accessModes',
    VolumeMode: 'core.v1.PersistentVolumeClaimSpec.volumeMode',
  },
  '/Pod': {
    IP: 'core.v1.PodStatus.podIP',
    Node: 'core.v1.PodSpec.nodeName',
    'Nominated Node': 'core.v1.PodStatus.nominatedNodeName',
    'Readiness Gates': 'core.v1.PodSpec.readinessGates',
  },
  '/ReplicationController': {
    Desired: 'core.v1.ReplicationControllerSpec.replicas',
    Current: 'core.v1.ReplicationControllerStatus.replicas',
    Ready: 'core.v1.ReplicationControllerStatus.readyReplicas',
    Selector: 'core.v1.ReplicationControllerSpec.selector',
  },
  '/Secret': {
    Type: 'core.v1.Secret.type',
    Data: 'core.v1.Secret.data',
  },
  '/Service': {
    Type: 'core.v1.ServiceSpec.type',
    'Cluster-IP': 'core.v1.ServiceSpec.clusterIP',
    'External-IP': 'core.v1.ServiceSpec.externalIPs',
    'Port(s)': 'core.v1.ServiceSpec.ports',
    Selector: 'core.v1.ServiceSpec.selector',
  },
  'apps/ControllerRevision': {
    Revision: 'apps.v1.ControllerRevision.revision',
  },
  'apps/DaemonSet': {
    Desired: 'apps.v1.DaemonSetStatus.desiredNumberScheduled',
    Current: 'apps.v1.DaemonSetStatus.currentNumberScheduled',
    Ready: 'apps.v1.DaemonSetStatus.numberReady',
    'Up-to-date': 'apps.v1.DaemonSetStatus.updatedNumberScheduled',
    Available: 'apps.v1.DaemonSetStatus.numberAvailable',
    'Node Selector': 'core.v1.PodSpec.nodeSelector',
    Selector: 'apps.v1.DaemonSetSpec.selector',
  },
  'apps/Deployment': {
    'Up-to-date': 'apps.v1.DeploymentStatus.updatedReplicas',
    Available: 'apps.v1.DeploymentStatus.availableReplicas',
    Selector: 'apps.v1.DeploymentSpec.selector',
  },
  'apps/ReplicaSet': {
    Desired: 'apps.v1.ReplicaSetSpec.replicas',
    Current: 'apps.v1.ReplicaSetStatus.replicas',
    Ready: 'apps.v1.ReplicaSetStatus.readyReplicas',
    Selector: 'apps.v1.ReplicaSetSpec.selector',
  },
  'autoscaling/HorizontalPodAutoscaler': {
    Reference: 'autoscaling.v2.HorizontalPodAutoscalerSpec.scaleTargetRef',
    Targets: 'autoscaling.v2.HorizontalPodAutoscalerSpec.metrics',
    MinPods: 'autoscaling.v1.HorizontalPodAutoscalerSpec.minReplicas',
    MaxPods: 'autoscaling.v2.HorizontalPodAutoscalerSpec.maxReplicas',
    Replicas: 'autoscaling.v2.HorizontalPodAutoscalerStatus.currentReplicas',
  },
  'autoscaling/Scale': {
    Desired: 'autoscaling.v1.ScaleSpec.replicas',
    Available: 'autoscaling.v1.ScaleStatus.replicas',
  },
  'batch/CronJob': {
    Schedule: 'batch.v1.CronJobSpec.schedule',
    Timezone: 'batch.v1.CronJobSpec.timeZone',
    Suspend: 'batch.v1.CronJobSpec.suspend',
    Active: 'batch.v1.CronJobStatus.active',
    'Last Schedule': 'batch.v1.CronJobStatus.lastScheduleTime',
    Selector: 'batch.v1.JobSpec.selector',
  },
  'batch/Job': {
    Completions: 'batch.v1.JobStatus.succeeded',
    Selector: 'batch.v1.JobSpec.selector',
  },
  'certificates.k8s.io/CertificateSigningRequest': {
    RequestedDuration: 'certificates.v1.CertificateSigningRequestSpec.expirationSeconds',
  },
  'coordination.k8s.io/Lease': {
    Holder: 'coordination.v1.LeaseSpec.holderIdentity',
  },
  'coordination.k8s.io/LeaseCandidate': {
    LeaseName: 'coordination.v1alpha2.LeaseCandidateSpec.leaseName',
  },
  'discovery.k8s.io/EndpointSlice': {
    AddressType: 'discovery.v1.EndpointSlice.addressType',
    Ports: 'discovery.v1.EndpointSlice.ports',
    Endpoints: 'discovery.v1.EndpointSlice.endpoints',
  },
  'events.k8s.io/Event': {
    'Last Seen': 'core.v1.Event.lastTimestamp',
    Type: 'core.v1.Event.type',
    Reason: 'core.v1.Event.reason',
    Object: 'core.v1.Event.involvedObject',
    Subobject: 'core.v1.ObjectReference.fieldPath',
    Source: 'core.v1.Event.source',
    Message: 'core.v1.Event.message',
    'First Seen': 'core.v1.Event.firstTimestamp',
    Count: 'core.v1.Event.count',
  },
  'flowcontrol.apiserver.k8s.io/FlowSchema': {
    PriorityLevel: 'flowcontrol.v1.PriorityLevelConfigurationReference.name',
    MatchingPrecedence: 'flowcontrol.v1.FlowSchemaSpec.matchingPrecedence',
    DistinguisherMethod: 'flowcontrol.v1.FlowSchemaSpec.distinguisherMethod',
  },
  'flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration': {
    Type: 'flowcontrol.v1.PriorityLevelConfigurationSpec.type',
    NominalConcurrencyShares: 'flowcontrol.v1.LimitedPriorityLevelConfiguration.nominalConcurrencyShares',
    Queues: 'flowcontrol.v1.QueuingConfiguration.queues',
    HandSize: 'flowcontrol.v1.QueuingConfiguration.handSize',
    QueueLengthLimit: 'flowcontrol.v1.QueuingConfiguration.queueLengthLimit',
  },
  'internal.apiserver.k8s.io/StorageVersion': {
    CommonEncodingVersion: 'apiserverinternal.v1alpha1.StorageVersionStatus.commonEncodingVersion',
    StorageVersions: 'apiserverinternal.v1alpha1.StorageVersionStatus.storageVersions',
  },
  'networking.k8s.io/IPAddress': {
    ParentRef: 'networking.v1.IPAddressSpec.parentRef',
  },
  'networking.k8s.io/NetworkPolicy': {
    'Pod-Selector': 'networking.v1.NetworkPolicySpec.podSelector',
  },
  'networking.k8s.io/ServiceCIDR': {
    CIDRs: 'networking.v1.ServiceCIDRSpec.cidrs',
  },
  'resource.k8s.io/DeviceTaintRule': {
    Key: 'resource.v1.DeviceTaint.key',
    Value: 'resource.v1.DeviceTaint.value',
    Effect: 'resource.v1.DeviceTaint.effect',
    TimeAdded: 'resource.v1.DeviceTaint.timeAdded',
  },
  'resource.k8s.io/ResourceSlice': {
    Node: 'resource.v1.ResourceSliceSpec.nodeName',
    Driver: 'resource.v1.ResourceSliceSpec.driver',
    Pool: 'resource.v1.ResourcePool.name',
  },
  'scheduling.k8s.io/PriorityClass': {
    Value: 'scheduling.v1.PriorityClass.value',
    'Global-Default': 'scheduling.v1.PriorityClass.globalDefault',
    PreemptionPolicy: 'scheduling.v1.PriorityClass.preemptionPolicy',
  },
  'storage.k8s.io/CSIDriver': {
    AttachRequired: 'storage.v1.CSIDriverSpec.attachRequired',
    PodInfoOnMount: 'storage.v1.CSIDriverSpec.podInfoOnMount',
    StorageCapacity: 'storage.v1.CSIDriverSpec.storageCapacity',
    TokenRequests: 'storage.v1.CSIDriverSpec.tokenRequests',
    RequiresRepublish: 'storage.v1.CSIDriverSpec.requiresRepublish',
    Modes: 'storage.v1.CSIDriverSpec.volumeLifecycleModes',
  },
  'storage.k8s.io/StorageClass': {
    Provisioner: 'storage.v1.StorageClass.provisioner',
    ReclaimPolicy: 'storage.v1.StorageClass.reclaimPolicy',
    VolumeBindingMode: 'storage.v1.StorageClass.volumeBindingMode',
    AllowVolumeExpansion: 'storage.v1.StorageClass.allowVolumeExpansion',
  },
  'storage.k8s.io/VolumeAttachment': {
    Attacher: 'storage.v1.VolumeAttachmentSpec.attacher',
    PV: 'storage.v1.VolumeAttachmentSource.persistentVolumeName',
    Node: 'storage.v1.VolumeAttachmentSpec.nodeName',
    Attached: 'storage.v1.VolumeAttachmentStatus.attached',
  },
  'storage.k8s.io/VolumeAttributesClass': {
    DriverName: 'storage.v1.VolumeAttributesClass.driverName',
  },
};
