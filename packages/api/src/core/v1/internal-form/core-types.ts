/** Types other than those of pods that upstream's messages print; see `strategy/internal-form.ts` for the notation. */
export const coreInternalTypes = `
PersistentVolumeSource GCEPersistentDisk=gcePersistentDisk:*GCEPersistentDiskVolumeSource
 AWSElasticBlockStore=awsElasticBlockStore:*AWSElasticBlockStoreVolumeSource HostPath:*HostPathVolumeSource
 Glusterfs:*GlusterfsPersistentVolumeSource NFS=nfs:*NFSVolumeSource RBD=rbd:*RBDPersistentVolumeSource
 Quobyte:*QuobyteVolumeSource ISCSI=iscsi:*ISCSIPersistentVolumeSource FlexVolume:*FlexPersistentVolumeSource
 Cinder:*CinderPersistentVolumeSource CephFS=cephfs:*CephFSPersistentVolumeSource FC=fc:*FCVolumeSource
 Flocker:*FlockerVolumeSource AzureFile:*AzureFilePersistentVolumeSource
 VsphereVolume:*VsphereVirtualDiskVolumeSource AzureDisk:*AzureDiskVolumeSource
 PhotonPersistentDisk:*PhotonPersistentDiskVolumeSource PortworxVolume:*PortworxVolumeSource
 ScaleIO:*ScaleIOPersistentVolumeSource Local:*LocalVolumeSource StorageOS=storageos:*StorageOSPersistentVolumeSource
 CSI=csi:*CSIPersistentVolumeSource
GlusterfsPersistentVolumeSource EndpointsName=endpoints:s Path:s ReadOnly:b EndpointsNamespace:*s
RBDPersistentVolumeSource CephMonitors=monitors:[]s RBDImage=image:s FSType=fsType:s RBDPool=pool:s RadosUser=user:s
 Keyring:s SecretRef:*SecretReference ReadOnly:b
ISCSIPersistentVolumeSource TargetPortal:s IQN=iqn:s Lun:i ISCSIInterface=iscsiInterface:s FSType=fsType:s ReadOnly:b
 Portals:[]s DiscoveryCHAPAuth=chapAuthDiscovery:b SessionCHAPAuth=chapAuthSession:b SecretRef:*SecretReference
 InitiatorName:*s
FlexPersistentVolumeSource Driver:s FSType=fsType:s SecretRef:*SecretReference ReadOnly:b Options:{}s
CinderPersistentVolumeSource VolumeID:s FSType=fsType:s ReadOnly:b SecretRef:*SecretReference
CephFSPersistentVolumeSource Monitors:[]s Path:s User:s SecretFile:s SecretRef:*SecretReference ReadOnly:b
AzureFilePersistentVolumeSource SecretName:s ShareName:s ReadOnly:b SecretNamespace:*s
ScaleIOPersistentVolumeSource Gateway:s System:s SecretRef:*SecretReference SSLEnabled=sslEnabled:b ProtectionDomain:s
 StoragePool:s StorageMode:s VolumeName:s FSType=fsType:s ReadOnly:b
LocalVolumeSource Path:s FSType=fsType:*s
StorageOSPersistentVolumeSource VolumeName:s VolumeNamespace:s FSType=fsType:s ReadOnly:b SecretRef:*ObjectReference
CSIPersistentVolumeSource Driver:s VolumeHandle:s ReadOnly:b FSType=fsType:s VolumeAttributes:{}s
 ControllerPublishSecretRef:*SecretReference NodeStageSecretRef:*SecretReference NodePublishSecretRef:*SecretReference
 ControllerExpandSecretRef:*SecretReference NodeExpandSecretRef:*SecretReference
SecretReference Name:s Namespace:s
ObjectReference Kind:s Namespace:s Name:s UID=uid:s APIVersion=apiVersion:s ResourceVersion:s FieldPath:s
VolumeNodeAffinity Required:*NodeSelector
ServicePort Name:s Protocol:s AppProtocol:*s Port:i TargetPort:v NodePort:i
Taint Key:s Value:s Effect:s TimeAdded:*s
NodeAddress Type:s Address:s
NodeConfigSource ConfigMap:*ConfigMapNodeConfigSource
ConfigMapNodeConfigSource Namespace:s Name:s UID=uid:s ResourceVersion:s KubeletConfigKey:s
ScopeSelector MatchExpressions:[]ScopedResourceSelectorRequirement
ScopedResourceSelectorRequirement ScopeName:s Operator:s Values:[]s
EventSource Component:s Host:s
`;
