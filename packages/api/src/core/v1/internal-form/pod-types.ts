/** The types below PodSpec as upstream's messages print them; `strategy/internal-form.ts` explains the notation. */
export const internalTypes = `
PodSpec Volumes:[]Volume InitContainers:[]Container Containers:[]Container EphemeralContainers:[]EphemeralContainer
 RestartPolicy:s TerminationGracePeriodSeconds:*i ActiveDeadlineSeconds:*i DNSPolicy=dnsPolicy:s NodeSelector:{}s
 ServiceAccountName:s AutomountServiceAccountToken:*b NodeName:s SecurityContext:*PodSecurityContext
 ImagePullSecrets:[]LocalObjectReference Hostname:s Subdomain:s SetHostnameAsFQDN:*b Affinity:*Affinity
 SchedulerName:s Tolerations:[]Toleration HostAliases:[]HostAlias PriorityClassName:s Priority:*i
 PreemptionPolicy:*s DNSConfig=dnsConfig:*PodDNSConfig ReadinessGates:[]PodReadinessGate RuntimeClassName:*s
 Overhead:{}q EnableServiceLinks:*b TopologySpreadConstraints:[]TopologySpreadConstraint OS=os:*PodOS
 SchedulingGates:[]PodSchedulingGate ResourceClaims:[]PodResourceClaim Resources:*ResourceRequirements
 HostnameOverride:*s SchedulingGroup:*PodSchedulingGroup
PodIP IP=ip:s
HostIP IP=ip:s
Volume Name:s HostPath:*HostPathVolumeSource EmptyDir:*EmptyDirVolumeSource
 GCEPersistentDisk=gcePersistentDisk:*GCEPersistentDiskVolumeSource
 AWSElasticBlockStore=awsElasticBlockStore:*AWSElasticBlockStoreVolumeSource GitRepo:*GitRepoVolumeSource
 Secret:*SecretVolumeSource NFS=nfs:*NFSVolumeSource ISCSI=iscsi:*ISCSIVolumeSource Glusterfs:*GlusterfsVolumeSource
 PersistentVolumeClaim:*PersistentVolumeClaimVolumeSource RBD=rbd:*RBDVolumeSource Quobyte:*QuobyteVolumeSource
 FlexVolume:*FlexVolumeSource Cinder:*CinderVolumeSource CephFS=cephfs:*CephFSVolumeSource
 Flocker:*FlockerVolumeSource DownwardAPI:*DownwardAPIVolumeSource FC=fc:*FCVolumeSource
 AzureFile:*AzureFileVolumeSource ConfigMap:*ConfigMapVolumeSource VsphereVolume:*VsphereVirtualDiskVolumeSource
 AzureDisk:*AzureDiskVolumeSource PhotonPersistentDisk:*PhotonPersistentDiskVolumeSource
 Projected:*ProjectedVolumeSource PortworxVolume:*PortworxVolumeSource ScaleIO:*ScaleIOVolumeSource
 StorageOS=storageos:*StorageOSVolumeSource CSI=csi:*CSIVolumeSource Ephemeral:*EphemeralVolumeSource
 Image:*ImageVolumeSource
Container Name:s Image:s Command:[]s Args:[]s WorkingDir:s Ports:[]ContainerPort EnvFrom:[]EnvFromSource
 Env:[]EnvVar Resources:ResourceRequirements ResizePolicy:[]ContainerResizePolicy RestartPolicy:*s
 RestartPolicyRules:[]ContainerRestartRule VolumeMounts:[]VolumeMount VolumeDevices:[]VolumeDevice
 LivenessProbe:*Probe ReadinessProbe:*Probe StartupProbe:*Probe Lifecycle:*Lifecycle TerminationMessagePath:s
 TerminationMessagePolicy:s ImagePullPolicy:s SecurityContext:*SecurityContext Stdin:b StdinOnce:b TTY=tty:b
EphemeralContainer ^Container TargetContainerName:s
PodSecurityContext HostNetwork:b HostPID:b HostIPC:b ShareProcessNamespace:*b HostUsers:*b
 SELinuxOptions=seLinuxOptions:*SELinuxOptions WindowsOptions:*WindowsSecurityContextOptions RunAsUser:*i
 RunAsGroup:*i RunAsNonRoot:*b SupplementalGroups:[]i SupplementalGroupsPolicy:*s FSGroup=fsGroup:*i
 FSGroupChangePolicy=fsGroupChangePolicy:*s Sysctls:[]Sysctl SeccompProfile:*SeccompProfile
 AppArmorProfile:*AppArmorProfile SELinuxChangePolicy=seLinuxChangePolicy:*s
LocalObjectReference Name:s
Affinity NodeAffinity:*NodeAffinity PodAffinity:*PodAffinity PodAntiAffinity:*PodAntiAffinity
Toleration Key:s Operator:s Value:s Effect:s TolerationSeconds:*i
HostAlias IP=ip:s Hostnames:[]s
PodDNSConfig Nameservers:[]s Searches:[]s Options:[]PodDNSConfigOption
PodReadinessGate ConditionType:s
TopologySpreadConstraint MaxSkew:i TopologyKey:s WhenUnsatisfiable:s LabelSelector:*selector MinDomains:*i
 NodeAffinityPolicy:*s NodeTaintsPolicy:*s MatchLabelKeys:[]s
PodOS Name:s
PodSchedulingGate Name:s
PodResourceClaim Name:s ResourceClaimName:*s ResourceClaimTemplateName:*s
ResourceRequirements Limits:{}q Requests:{}q Claims:[]ResourceClaim
PodSchedulingGroup PodGroupName:*s
HostPathVolumeSource Path:s Type:*s
EmptyDirVolumeSource Medium:s SizeLimit:*q
GCEPersistentDiskVolumeSource PDName=pdName:s FSType=fsType:s Partition:i ReadOnly:b
AWSElasticBlockStoreVolumeSource VolumeID:s FSType=fsType:s Partition:i ReadOnly:b
GitRepoVolumeSource Repository:s Revision:s Directory:s
SecretVolumeSource SecretName:s Items:[]KeyToPath DefaultMode:*i Optional:*b
NFSVolumeSource Server:s Path:s ReadOnly:b
ISCSIVolumeSource TargetPortal:s IQN=iqn:s Lun:i ISCSIInterface=iscsiInterface:s FSType=fsType:s ReadOnly:b
 Portals:[]s DiscoveryCHAPAuth=chapAuthDiscovery:b SessionCHAPAuth=chapAuthSession:b SecretRef:*LocalObjectReference
 InitiatorName:*s
GlusterfsVolumeSource EndpointsName=endpoints:s Path:s ReadOnly:b
PersistentVolumeClaimVolumeSource ClaimName:s ReadOnly:b
RBDVolumeSource CephMonitors=monitors:[]s RBDImage=image:s FSType=fsType:s RBDPool=pool:s RadosUser=user:s Keyring:s
 SecretRef:*LocalObjectReference ReadOnly:b
QuobyteVolumeSource Registry:s Volume:s ReadOnly:b User:s Group:s Tenant:s
FlexVolumeSource Driver:s FSType=fsType:s SecretRef:*LocalObjectReference ReadOnly:b Options:{}s
CinderVolumeSource VolumeID:s FSType=fsType:s ReadOnly:b SecretRef:*LocalObjectReference
CephFSVolumeSource Monitors:[]s Path:s User:s SecretFile:s SecretRef:*LocalObjectReference ReadOnly:b
FlockerVolumeSource DatasetName:s DatasetUUID:s
DownwardAPIVolumeSource Items:[]DownwardAPIVolumeFile DefaultMode:*i
FCVolumeSource TargetWWNs:[]s Lun:*i FSType=fsType:s ReadOnly:b WWIDs=wwids:[]s
AzureFileVolumeSource SecretName:s ShareName:s ReadOnly:b
ConfigMapVolumeSource Name:s Items:[]KeyToPath DefaultMode:*i Optional:*b
VsphereVirtualDiskVolumeSource VolumePath:s FSType=fsType:s StoragePolicyName:s StoragePolicyID:s
AzureDiskVolumeSource DiskName:s DataDiskURI=diskURI:s CachingMode:*s FSType=fsType:*s ReadOnly:*b Kind:*s
PhotonPersistentDiskVolumeSource PdID:s FSType=fsType:s
ProjectedVolumeSource Sources:[]VolumeProjection DefaultMode:*i
PortworxVolumeSource VolumeID:s FSType=fsType:s ReadOnly:b
ScaleIOVolumeSource Gateway:s System:s SecretRef:*LocalObjectReference SSLEnabled=sslEnabled:b ProtectionDomain:s
 StoragePool:s StorageMode:s VolumeName:s FSType=fsType:s ReadOnly:b
StorageOSVolumeSource VolumeName:s VolumeNamespace:s FSType=fsType:s ReadOnly:b SecretRef:*LocalObjectReference
CSIVolumeSource Driver:s ReadOnly:*b FSType=fsType:*s VolumeAttributes:{}s
 NodePublishSecretRef:*LocalObjectReference
EphemeralVolumeSource VolumeClaimTemplate:*PersistentVolumeClaimTemplate
ImageVolumeSource Reference:s PullPolicy:s
ContainerPort Name:s HostPort:i ContainerPort:i Protocol:s HostIP:s
EnvFromSource Prefix:s ConfigMapRef:*ConfigMapEnvSource SecretRef:*SecretEnvSource
EnvVar Name:s Value:s ValueFrom:*EnvVarSource
ContainerResizePolicy ResourceName:s RestartPolicy:s
ContainerRestartRule Action:s ExitCodes:*ContainerRestartRuleOnExitCodes
VolumeMount Name:s ReadOnly:b RecursiveReadOnly:*s MountPath:s SubPath:s MountPropagation:*s SubPathExpr:s
VolumeDevice Name:s DevicePath:s
Probe Exec:*ExecAction HTTPGet=httpGet:*HTTPGetAction TCPSocket=tcpSocket:*TCPSocketAction GRPC=grpc:*GRPCAction
 InitialDelaySeconds:i TimeoutSeconds:i PeriodSeconds:i SuccessThreshold:i FailureThreshold:i
 TerminationGracePeriodSeconds:*i
Lifecycle PostStart:*LifecycleHandler PreStop:*LifecycleHandler StopSignal:*s
SecurityContext Capabilities:*Capabilities Privileged:*b SELinuxOptions=seLinuxOptions:*SELinuxOptions
 WindowsOptions:*WindowsSecurityContextOptions RunAsUser:*i RunAsGroup:*i RunAsNonRoot:*b ReadOnlyRootFilesystem:*b
 AllowPrivilegeEscalation:*b ProcMount:*s SeccompProfile:*SeccompProfile AppArmorProfile:*AppArmorProfile
SELinuxOptions User:s Role:s Type:s Level:s
WindowsSecurityContextOptions GMSACredentialSpecName=gmsaCredentialSpecName:*s
 GMSACredentialSpec=gmsaCredentialSpec:*s RunAsUserName:*s HostProcess:*b
Sysctl Name:s Value:s
SeccompProfile Type:s LocalhostProfile:*s
AppArmorProfile Type:s LocalhostProfile:*s
NodeAffinity RequiredDuringSchedulingIgnoredDuringExecution:*NodeSelector
 PreferredDuringSchedulingIgnoredDuringExecution:[]PreferredSchedulingTerm
PodAffinity RequiredDuringSchedulingIgnoredDuringExecution:[]PodAffinityTerm
 PreferredDuringSchedulingIgnoredDuringExecution:[]WeightedPodAffinityTerm
PodAntiAffinity RequiredDuringSchedulingIgnoredDuringExecution:[]PodAffinityTerm
 PreferredDuringSchedulingIgnoredDuringExecution:[]WeightedPodAffinityTerm
PodDNSConfigOption Name:s Value:*s
ResourceClaim Name:s Request:s
KeyToPath Key:s Path:s Mode:*i
DownwardAPIVolumeFile Path:s FieldRef:*ObjectFieldSelector ResourceFieldRef:*ResourceFieldSelector Mode:*i
VolumeProjection Secret:*SecretProjection DownwardAPI:*DownwardAPIProjection ConfigMap:*ConfigMapProjection
 ServiceAccountToken:*ServiceAccountTokenProjection ClusterTrustBundle:*ClusterTrustBundleProjection
 PodCertificate:*PodCertificateProjection
PersistentVolumeClaimTemplate ^metadata Spec:PersistentVolumeClaimSpec
ConfigMapEnvSource Name:s Optional:*b
SecretEnvSource Name:s Optional:*b
EnvVarSource FieldRef:*ObjectFieldSelector ResourceFieldRef:*ResourceFieldSelector
 ConfigMapKeyRef:*ConfigMapKeySelector SecretKeyRef:*SecretKeySelector FileKeyRef:*FileKeySelector
ContainerRestartRuleOnExitCodes Operator:s Values:[]i
ExecAction Command:[]s
HTTPGetAction Path:s Port:v Host:s Scheme:s HTTPHeaders=httpHeaders:[]HTTPHeader
TCPSocketAction Port:v Host:s
GRPCAction Port:i Service:*s
LifecycleHandler Exec:*ExecAction HTTPGet=httpGet:*HTTPGetAction TCPSocket=tcpSocket:*TCPSocketAction
 Sleep:*SleepAction
Capabilities Add:[]s Drop:[]s
NodeSelector NodeSelectorTerms:[]NodeSelectorTerm
PreferredSchedulingTerm Weight:i Preference:NodeSelectorTerm
PodAffinityTerm LabelSelector:*selector Namespaces:[]s TopologyKey:s NamespaceSelector:*selector MatchLabelKeys:[]s
 MismatchLabelKeys:[]s
WeightedPodAffinityTerm Weight:i PodAffinityTerm:PodAffinityTerm
ObjectFieldSelector APIVersion=apiVersion:s FieldPath:s
ResourceFieldSelector ContainerName:s Resource:s Divisor:q
SecretProjection Name:s Items:[]KeyToPath Optional:*b
DownwardAPIProjection Items:[]DownwardAPIVolumeFile
ConfigMapProjection Name:s Items:[]KeyToPath Optional:*b
ServiceAccountTokenProjection Audience:s ExpirationSeconds:i Path:s
ClusterTrustBundleProjection Name:*s SignerName:*s LabelSelector:*selector Optional:*b Path:s
PodCertificateProjection SignerName:s KeyType:s MaxExpirationSeconds:*i CredentialBundlePath:s KeyPath:s
 CertificateChainPath:s UserAnnotations:{}s
PersistentVolumeClaimSpec AccessModes:[]s Selector:*selector Resources:VolumeResourceRequirements VolumeName:s
 StorageClassName:*s VolumeMode:*s DataSource:*TypedLocalObjectReference DataSourceRef:*TypedObjectReference
 VolumeAttributesClassName:*s
ConfigMapKeySelector Name:s Key:s Optional:*b
SecretKeySelector Name:s Key:s Optional:*b
FileKeySelector VolumeName:s Path:s Key:s Optional:*b
HTTPHeader Name:s Value:s
SleepAction Seconds:i
NodeSelectorTerm MatchExpressions:[]NodeSelectorRequirement MatchFields:[]NodeSelectorRequirement
VolumeResourceRequirements Limits:{}q Requests:{}q
TypedLocalObjectReference APIGroup=apiGroup:*s Kind:s Name:s
TypedObjectReference APIGroup=apiGroup:*s Kind:s Name:s Namespace:*s
NodeSelectorRequirement Key:s Operator:s Values:[]s
`;
