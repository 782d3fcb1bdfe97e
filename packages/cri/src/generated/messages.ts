// Generated from the definition of CRI v1 in k8s.io/cri-api v0.36.4 (generator/generate.ts). Do not edit.
import { bool, bytes, double, id, many, name, one, signed, signeds, struct, text, textMap, texts, unsigned } from '@coxswain/grpc/protobuf';

const protocolNumbers = {
  TCP: 0,
  UDP: 1,
  SCTP: 2,
} as const;
export type Protocol = keyof typeof protocolNumbers;

const mountPropagationNumbers = {
  PROPAGATION_PRIVATE: 0,
  PROPAGATION_HOST_TO_CONTAINER: 1,
  PROPAGATION_BIDIRECTIONAL: 2,
} as const;
export type MountPropagation = keyof typeof mountPropagationNumbers;

const namespaceModeNumbers = {
  POD: 0,
  CONTAINER: 1,
  NODE: 2,
  TARGET: 3,
} as const;
export type NamespaceMode = keyof typeof namespaceModeNumbers;

const supplementalGroupsPolicyNumbers = {
  Merge: 0,
  Strict: 1,
} as const;
export type SupplementalGroupsPolicy = keyof typeof supplementalGroupsPolicyNumbers;

const profileTypeNumbers = {
  RuntimeDefault: 0,
  Unconfined: 1,
  Localhost: 2,
} as const;
export type ProfileType = keyof typeof profileTypeNumbers;

const podSandboxStateNumbers = {
  SANDBOX_READY: 0,
  SANDBOX_NOTREADY: 1,
} as const;
export type PodSandboxState = keyof typeof podSandboxStateNumbers;

const signalNumbers = {
  RUNTIME_DEFAULT: 0,
  SIGABRT: 1,
  SIGALRM: 2,
  SIGBUS: 3,
  SIGCHLD: 4,
  SIGCLD: 5,
  SIGCONT: 6,
  SIGFPE: 7,
  SIGHUP: 8,
  SIGILL: 9,
  SIGINT: 10,
  SIGIO: 11,
  SIGIOT: 12,
  SIGKILL: 13,
  SIGPIPE: 14,
  SIGPOLL: 15,
  SIGPROF: 16,
  SIGPWR: 17,
  SIGQUIT: 18,
  SIGSEGV: 19,
  SIGSTKFLT: 20,
  SIGSTOP: 21,
  SIGSYS: 22,
  SIGTERM: 23,
  SIGTRAP: 24,
  SIGTSTP: 25,
  SIGTTIN: 26,
  SIGTTOU: 27,
  SIGURG: 28,
  SIGUSR1: 29,
  SIGUSR2: 30,
  SIGVTALRM: 31,
  SIGWINCH: 32,
  SIGXCPU: 33,
  SIGXFSZ: 34,
  SIGRTMIN: 35,
  SIGRTMINPLUS1: 36,
  SIGRTMINPLUS2: 37,
  SIGRTMINPLUS3: 38,
  SIGRTMINPLUS4: 39,
  SIGRTMINPLUS5: 40,
  SIGRTMINPLUS6: 41,
  SIGRTMINPLUS7: 42,
  SIGRTMINPLUS8: 43,
  SIGRTMINPLUS9: 44,
  SIGRTMINPLUS10: 45,
  SIGRTMINPLUS11: 46,
  SIGRTMINPLUS12: 47,
  SIGRTMINPLUS13: 48,
  SIGRTMINPLUS14: 49,
  SIGRTMINPLUS15: 50,
  SIGRTMAXMINUS14: 51,
  SIGRTMAXMINUS13: 52,
  SIGRTMAXMINUS12: 53,
  SIGRTMAXMINUS11: 54,
  SIGRTMAXMINUS10: 55,
  SIGRTMAXMINUS9: 56,
  SIGRTMAXMINUS8: 57,
  SIGRTMAXMINUS7: 58,
  SIGRTMAXMINUS6: 59,
  SIGRTMAXMINUS5: 60,
  SIGRTMAXMINUS4: 61,
  SIGRTMAXMINUS3: 62,
  SIGRTMAXMINUS2: 63,
  SIGRTMAXMINUS1: 64,
  SIGRTMAX: 65,
} as const;
export type Signal = keyof typeof signalNumbers;

const containerStateNumbers = {
  CONTAINER_CREATED: 0,
  CONTAINER_RUNNING: 1,
  CONTAINER_EXITED: 2,
  CONTAINER_UNKNOWN: 3,
} as const;
export type ContainerState = keyof typeof containerStateNumbers;

const containerEventTypeNumbers = {
  CONTAINER_CREATED_EVENT: 0,
  CONTAINER_STARTED_EVENT: 1,
  CONTAINER_STOPPED_EVENT: 2,
  CONTAINER_DELETED_EVENT: 3,
} as const;
export type ContainerEventType = keyof typeof containerEventTypeNumbers;

const metricTypeNumbers = {
  COUNTER: 0,
  GAUGE: 1,
} as const;
export type MetricType = keyof typeof metricTypeNumbers;

const cgroupDriverNumbers = {
  SYSTEMD: 0,
  CGROUPFS: 1,
} as const;
export type CgroupDriver = keyof typeof cgroupDriverNumbers;

export interface VersionRequest {
  readonly version: string;
}
export const VersionRequest = struct<VersionRequest>(() => ({
  version: text(1),
}));

export interface VersionResponse {
  readonly version: string;
  readonly runtimeName: string;
  readonly runtimeVersion: string;
  readonly runtimeApiVersion: string;
}
export const VersionResponse = struct<VersionResponse>(() => ({
  version: text(1),
  runtimeName: text(2),
  runtimeVersion: text(3),
  runtimeApiVersion: text(4),
}));

export interface DNSConfig {
  readonly servers: readonly string[];
  readonly searches: readonly string[];
  readonly options: readonly string[];
}
export const DNSConfig = struct<DNSConfig>(() => ({
  servers: texts(1),
  searches: texts(2),
  options: texts(3),
}));

export interface PortMapping {
  readonly protocol: Protocol;
  readonly containerPort: number;
  readonly hostPort: number;
  readonly hostIp: string;
}
export const PortMapping = struct<PortMapping>(() => ({
  protocol: name(1, protocolNumbers),
  containerPort: signed(2),
  hostPort: signed(3),
  hostIp: text(4),
}));

export interface Mount {
  readonly containerPath: string;
  readonly hostPath: string;
  readonly readonly: boolean;
  readonly selinuxRelabel: boolean;
  readonly propagation: MountPropagation;
  readonly uidMappings: readonly IDMapping[];
  readonly gidMappings: readonly IDMapping[];
  readonly recursiveReadOnly: boolean;
  readonly image?: ImageSpec;
  readonly imageSubPath: string;
}
export const Mount = struct<Mount>(() => ({
  containerPath: text(1),
  hostPath: text(2),
  readonly: bool(3),
  selinuxRelabel: bool(4),
  propagation: name(5, mountPropagationNumbers),
  uidMappings: many(6, IDMapping),
  gidMappings: many(7, IDMapping),
  recursiveReadOnly: bool(8),
  image: one(9, ImageSpec),
  imageSubPath: text(10),
}));

export interface IDMapping {
  readonly hostId: number;
  readonly containerId: number;
  readonly length: number;
}
export const IDMapping = struct<IDMapping>(() => ({
  hostId: unsigned(1),
  containerId: unsigned(2),
  length: unsigned(3),
}));

export interface UserNamespace {
  readonly mode: NamespaceMode;
  readonly uids: readonly IDMapping[];
  readonly gids: readonly IDMapping[];
}
export const UserNamespace = struct<UserNamespace>(() => ({
  mode: name(1, namespaceModeNumbers),
  uids: many(2, IDMapping),
  gids: many(3, IDMapping),
}));

export interface NamespaceOption {
  readonly network: NamespaceMode;
  readonly pid: NamespaceMode;
  readonly ipc: NamespaceMode;
  readonly targetId: string;
  readonly usernsOptions?: UserNamespace;
}
export const NamespaceOption = struct<NamespaceOption>(() => ({
  network: name(1, namespaceModeNumbers),
  pid: name(2, namespaceModeNumbers),
  ipc: name(3, namespaceModeNumbers),
  targetId: text(4),
  usernsOptions: one(5, UserNamespace),
}));

export interface Int64Value {
  readonly value: number;
}
export const Int64Value = struct<Int64Value>(() => ({
  value: signed(1),
}));

export interface LinuxSandboxSecurityContext {
  readonly namespaceOptions?: NamespaceOption;
  readonly selinuxOptions?: SELinuxOption;
  readonly runAsUser?: Int64Value;
  readonly runAsGroup?: Int64Value;
  readonly readonlyRootfs: boolean;
  readonly supplementalGroups: readonly number[];
  readonly supplementalGroupsPolicy: SupplementalGroupsPolicy;
  readonly privileged: boolean;
  readonly seccomp?: SecurityProfile;
  readonly apparmor?: SecurityProfile;
  readonly seccompProfilePath: string;
}
export const LinuxSandboxSecurityContext = struct<LinuxSandboxSecurityContext>(() => ({
  namespaceOptions: one(1, NamespaceOption),
  selinuxOptions: one(2, SELinuxOption),
  runAsUser: one(3, Int64Value),
  runAsGroup: one(8, Int64Value),
  readonlyRootfs: bool(4),
  supplementalGroups: signeds(5),
  supplementalGroupsPolicy: name(11, supplementalGroupsPolicyNumbers),
  privileged: bool(6),
  seccomp: one(9, SecurityProfile),
  apparmor: one(10, SecurityProfile),
  seccompProfilePath: text(7),
}));

export interface SecurityProfile {
  readonly profileType: ProfileType;
  readonly localhostRef: string;
}
export const SecurityProfile = struct<SecurityProfile>(() => ({
  profileType: name(1, profileTypeNumbers),
  localhostRef: text(2),
}));

export interface LinuxPodSandboxConfig {
  readonly cgroupParent: string;
  readonly securityContext?: LinuxSandboxSecurityContext;
  readonly sysctls: Readonly<Record<string, string>>;
  readonly overhead?: LinuxContainerResources;
  readonly resources?: LinuxContainerResources;
}
export const LinuxPodSandboxConfig = struct<LinuxPodSandboxConfig>(() => ({
  cgroupParent: text(1),
  securityContext: one(2, LinuxSandboxSecurityContext),
  sysctls: textMap(3),
  overhead: one(4, LinuxContainerResources),
  resources: one(5, LinuxContainerResources),
}));

export interface PodSandboxMetadata {
  readonly name: string;
  readonly uid: string;
  readonly namespace: string;
  readonly attempt: number;
}
export const PodSandboxMetadata = struct<PodSandboxMetadata>(() => ({
  name: text(1),
  uid: text(2),
  namespace: text(3),
  attempt: unsigned(4),
}));

export interface PodSandboxConfig {
  readonly metadata?: PodSandboxMetadata;
  readonly hostname: string;
  readonly logDirectory: string;
  readonly dnsConfig?: DNSConfig;
  readonly portMappings: readonly PortMapping[];
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly linux?: LinuxPodSandboxConfig;
  readonly windows?: WindowsPodSandboxConfig;
}
export const PodSandboxConfig = struct<PodSandboxConfig>(() => ({
  metadata: one(1, PodSandboxMetadata),
  hostname: text(2),
  logDirectory: text(3),
  dnsConfig: one(4, DNSConfig),
  portMappings: many(5, PortMapping),
  labels: textMap(6),
  annotations: textMap(7),
  linux: one(8, LinuxPodSandboxConfig),
  windows: one(9, WindowsPodSandboxConfig),
}));

export interface RunPodSandboxRequest {
  readonly config?: PodSandboxConfig;
  readonly runtimeHandler: string;
}
export const RunPodSandboxRequest = struct<RunPodSandboxRequest>(() => ({
  config: one(1, PodSandboxConfig),
  runtimeHandler: text(2),
}));

export interface RunPodSandboxResponse {
  readonly podSandboxId: string;
}
export const RunPodSandboxResponse = struct<RunPodSandboxResponse>(() => ({
  podSandboxId: text(1),
}));

export interface StopPodSandboxRequest {
  readonly podSandboxId: string;
}
export const StopPodSandboxRequest = struct<StopPodSandboxRequest>(() => ({
  podSandboxId: text(1),
}));

export interface StopPodSandboxResponse {}
export const StopPodSandboxResponse = struct<StopPodSandboxResponse>(() => ({}));

export interface RemovePodSandboxRequest {
  readonly podSandboxId: string;
}
export const RemovePodSandboxRequest = struct<RemovePodSandboxRequest>(() => ({
  podSandboxId: text(1),
}));

export interface RemovePodSandboxResponse {}
export const RemovePodSandboxResponse = struct<RemovePodSandboxResponse>(() => ({}));

export interface PodSandboxStatusRequest {
  readonly podSandboxId: string;
  readonly verbose: boolean;
}
export const PodSandboxStatusRequest = struct<PodSandboxStatusRequest>(() => ({
  podSandboxId: text(1),
  verbose: bool(2),
}));

export interface PodIP {
  readonly ip: string;
}
export const PodIP = struct<PodIP>(() => ({
  ip: text(1),
}));

export interface PodSandboxNetworkStatus {
  readonly ip: string;
  readonly additionalIps: readonly PodIP[];
}
export const PodSandboxNetworkStatus = struct<PodSandboxNetworkStatus>(() => ({
  ip: text(1),
  additionalIps: many(2, PodIP),
}));

export interface Namespace {
  readonly options?: NamespaceOption;
}
export const Namespace = struct<Namespace>(() => ({
  options: one(2, NamespaceOption),
}));

export interface LinuxPodSandboxStatus {
  readonly namespaces?: Namespace;
}
export const LinuxPodSandboxStatus = struct<LinuxPodSandboxStatus>(() => ({
  namespaces: one(1, Namespace),
}));

export interface PodSandboxStatus {
  readonly id: string;
  readonly metadata?: PodSandboxMetadata;
  readonly state: PodSandboxState;
  readonly createdAt: bigint;
  readonly network?: PodSandboxNetworkStatus;
  readonly linux?: LinuxPodSandboxStatus;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly runtimeHandler: string;
}
export const PodSandboxStatus = struct<PodSandboxStatus>(() => ({
  id: text(1),
  metadata: one(2, PodSandboxMetadata),
  state: name(3, podSandboxStateNumbers),
  createdAt: id(4),
  network: one(5, PodSandboxNetworkStatus),
  linux: one(6, LinuxPodSandboxStatus),
  labels: textMap(7),
  annotations: textMap(8),
  runtimeHandler: text(9),
}));

export interface PodSandboxStatusResponse {
  readonly status?: PodSandboxStatus;
  readonly info: Readonly<Record<string, string>>;
  readonly containersStatuses: readonly ContainerStatus[];
  readonly timestamp: bigint;
}
export const PodSandboxStatusResponse = struct<PodSandboxStatusResponse>(() => ({
  status: one(1, PodSandboxStatus),
  info: textMap(2),
  containersStatuses: many(3, ContainerStatus),
  timestamp: id(4),
}));

export interface PodSandboxStateValue {
  readonly state: PodSandboxState;
}
export const PodSandboxStateValue = struct<PodSandboxStateValue>(() => ({
  state: name(1, podSandboxStateNumbers),
}));

export interface PodSandboxFilter {
  readonly id: string;
  readonly state?: PodSandboxStateValue;
  readonly labelSelector: Readonly<Record<string, string>>;
}
export const PodSandboxFilter = struct<PodSandboxFilter>(() => ({
  id: text(1),
  state: one(2, PodSandboxStateValue),
  labelSelector: textMap(3),
}));

export interface ListPodSandboxRequest {
  readonly filter?: PodSandboxFilter;
}
export const ListPodSandboxRequest = struct<ListPodSandboxRequest>(() => ({
  filter: one(1, PodSandboxFilter),
}));

export interface PodSandbox {
  readonly id: string;
  readonly metadata?: PodSandboxMetadata;
  readonly state: PodSandboxState;
  readonly createdAt: bigint;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly runtimeHandler: string;
}
export const PodSandbox = struct<PodSandbox>(() => ({
  id: text(1),
  metadata: one(2, PodSandboxMetadata),
  state: name(3, podSandboxStateNumbers),
  createdAt: id(4),
  labels: textMap(5),
  annotations: textMap(6),
  runtimeHandler: text(7),
}));

export interface ListPodSandboxResponse {
  readonly items: readonly PodSandbox[];
}
export const ListPodSandboxResponse = struct<ListPodSandboxResponse>(() => ({
  items: many(1, PodSandbox),
}));

export interface StreamPodSandboxesRequest {
  readonly filter?: PodSandboxFilter;
}
export const StreamPodSandboxesRequest = struct<StreamPodSandboxesRequest>(() => ({
  filter: one(1, PodSandboxFilter),
}));

export interface StreamPodSandboxesResponse {
  readonly podSandboxes: readonly PodSandbox[];
}
export const StreamPodSandboxesResponse = struct<StreamPodSandboxesResponse>(() => ({
  podSandboxes: many(1, PodSandbox),
}));

export interface PodSandboxStatsRequest {
  readonly podSandboxId: string;
}
export const PodSandboxStatsRequest = struct<PodSandboxStatsRequest>(() => ({
  podSandboxId: text(1),
}));

export interface PodSandboxStatsResponse {
  readonly stats?: PodSandboxStats;
}
export const PodSandboxStatsResponse = struct<PodSandboxStatsResponse>(() => ({
  stats: one(1, PodSandboxStats),
}));

export interface PodSandboxStatsFilter {
  readonly id: string;
  readonly labelSelector: Readonly<Record<string, string>>;
}
export const PodSandboxStatsFilter = struct<PodSandboxStatsFilter>(() => ({
  id: text(1),
  labelSelector: textMap(2),
}));

export interface ListPodSandboxStatsRequest {
  readonly filter?: PodSandboxStatsFilter;
}
export const ListPodSandboxStatsRequest = struct<ListPodSandboxStatsRequest>(() => ({
  filter: one(1, PodSandboxStatsFilter),
}));

export interface ListPodSandboxStatsResponse {
  readonly stats: readonly PodSandboxStats[];
}
export const ListPodSandboxStatsResponse = struct<ListPodSandboxStatsResponse>(() => ({
  stats: many(1, PodSandboxStats),
}));

export interface StreamPodSandboxStatsRequest {
  readonly filter?: PodSandboxStatsFilter;
}
export const StreamPodSandboxStatsRequest = struct<StreamPodSandboxStatsRequest>(() => ({
  filter: one(1, PodSandboxStatsFilter),
}));

export interface StreamPodSandboxStatsResponse {
  readonly podSandboxStats: readonly PodSandboxStats[];
}
export const StreamPodSandboxStatsResponse = struct<StreamPodSandboxStatsResponse>(() => ({
  podSandboxStats: many(1, PodSandboxStats),
}));

export interface PodSandboxAttributes {
  readonly id: string;
  readonly metadata?: PodSandboxMetadata;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}
export const PodSandboxAttributes = struct<PodSandboxAttributes>(() => ({
  id: text(1),
  metadata: one(2, PodSandboxMetadata),
  labels: textMap(3),
  annotations: textMap(4),
}));

export interface PodSandboxStats {
  readonly attributes?: PodSandboxAttributes;
  readonly linux?: LinuxPodSandboxStats;
  readonly windows?: WindowsPodSandboxStats;
}
export const PodSandboxStats = struct<PodSandboxStats>(() => ({
  attributes: one(1, PodSandboxAttributes),
  linux: one(2, LinuxPodSandboxStats),
  windows: one(3, WindowsPodSandboxStats),
}));

export interface LinuxPodSandboxStats {
  readonly cpu?: CpuUsage;
  readonly memory?: MemoryUsage;
  readonly network?: NetworkUsage;
  readonly process?: ProcessUsage;
  readonly containers: readonly ContainerStats[];
  readonly io?: IoUsage;
}
export const LinuxPodSandboxStats = struct<LinuxPodSandboxStats>(() => ({
  cpu: one(1, CpuUsage),
  memory: one(2, MemoryUsage),
  network: one(3, NetworkUsage),
  process: one(4, ProcessUsage),
  containers: many(5, ContainerStats),
  io: one(6, IoUsage),
}));

export interface WindowsPodSandboxStats {
  readonly cpu?: WindowsCpuUsage;
  readonly memory?: WindowsMemoryUsage;
  readonly network?: WindowsNetworkUsage;
  readonly process?: WindowsProcessUsage;
  readonly containers: readonly WindowsContainerStats[];
}
export const WindowsPodSandboxStats = struct<WindowsPodSandboxStats>(() => ({
  cpu: one(1, WindowsCpuUsage),
  memory: one(2, WindowsMemoryUsage),
  network: one(3, WindowsNetworkUsage),
  process: one(4, WindowsProcessUsage),
  containers: many(5, WindowsContainerStats),
}));

export interface NetworkUsage {
  readonly timestamp: bigint;
  readonly defaultInterface?: NetworkInterfaceUsage;
  readonly interfaces: readonly NetworkInterfaceUsage[];
}
export const NetworkUsage = struct<NetworkUsage>(() => ({
  timestamp: id(1),
  defaultInterface: one(2, NetworkInterfaceUsage),
  interfaces: many(3, NetworkInterfaceUsage),
}));

export interface WindowsNetworkUsage {
  readonly timestamp: bigint;
  readonly defaultInterface?: WindowsNetworkInterfaceUsage;
  readonly interfaces: readonly WindowsNetworkInterfaceUsage[];
}
export const WindowsNetworkUsage = struct<WindowsNetworkUsage>(() => ({
  timestamp: id(1),
  defaultInterface: one(2, WindowsNetworkInterfaceUsage),
  interfaces: many(3, WindowsNetworkInterfaceUsage),
}));

export interface NetworkInterfaceUsage {
  readonly name: string;
  readonly rxBytes?: UInt64Value;
  readonly rxErrors?: UInt64Value;
  readonly txBytes?: UInt64Value;
  readonly txErrors?: UInt64Value;
}
export const NetworkInterfaceUsage = struct<NetworkInterfaceUsage>(() => ({
  name: text(1),
  rxBytes: one(2, UInt64Value),
  rxErrors: one(3, UInt64Value),
  txBytes: one(4, UInt64Value),
  txErrors: one(5, UInt64Value),
}));

export interface WindowsNetworkInterfaceUsage {
  readonly name: string;
  readonly rxBytes?: UInt64Value;
  readonly rxPacketsDropped?: UInt64Value;
  readonly txBytes?: UInt64Value;
  readonly txPacketsDropped?: UInt64Value;
}
export const WindowsNetworkInterfaceUsage = struct<WindowsNetworkInterfaceUsage>(() => ({
  name: text(1),
  rxBytes: one(2, UInt64Value),
  rxPacketsDropped: one(3, UInt64Value),
  txBytes: one(4, UInt64Value),
  txPacketsDropped: one(5, UInt64Value),
}));

export interface ProcessUsage {
  readonly timestamp: bigint;
  readonly processCount?: UInt64Value;
}
export const ProcessUsage = struct<ProcessUsage>(() => ({
  timestamp: id(1),
  processCount: one(2, UInt64Value),
}));

export interface WindowsProcessUsage {
  readonly timestamp: bigint;
  readonly processCount?: UInt64Value;
}
export const WindowsProcessUsage = struct<WindowsProcessUsage>(() => ({
  timestamp: id(1),
  processCount: one(2, UInt64Value),
}));

export interface ImageSpec {
  readonly image: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly userSpecifiedImage: string;
  readonly runtimeHandler: string;
  readonly imageRef: string;
}
export const ImageSpec = struct<ImageSpec>(() => ({
  image: text(1),
  annotations: textMap(2),
  userSpecifiedImage: text(18),
  runtimeHandler: text(19),
  imageRef: text(20),
}));

export interface KeyValue {
  readonly key: string;
  readonly value: Uint8Array;
}
export const KeyValue = struct<KeyValue>(() => ({
  key: text(1),
  value: bytes(2),
}));

export interface LinuxContainerResources {
  readonly cpuPeriod: number;
  readonly cpuQuota: number;
  readonly cpuShares: number;
  readonly memoryLimitInBytes: number;
  readonly oomScoreAdj: number;
  readonly cpusetCpus: string;
  readonly cpusetMems: string;
  readonly hugepageLimits: readonly HugepageLimit[];
  readonly unified: Readonly<Record<string, string>>;
  readonly memorySwapLimitInBytes: number;
}
export const LinuxContainerResources = struct<LinuxContainerResources>(() => ({
  cpuPeriod: signed(1),
  cpuQuota: signed(2),
  cpuShares: signed(3),
  memoryLimitInBytes: signed(4),
  oomScoreAdj: signed(5),
  cpusetCpus: text(6),
  cpusetMems: text(7),
  hugepageLimits: many(8, HugepageLimit),
  unified: textMap(9),
  memorySwapLimitInBytes: signed(10),
}));

export interface HugepageLimit {
  readonly pageSize: string;
  readonly limit: number;
}
export const HugepageLimit = struct<HugepageLimit>(() => ({
  pageSize: text(1),
  limit: unsigned(2),
}));

export interface SELinuxOption {
  readonly user: string;
  readonly role: string;
  readonly type: string;
  readonly level: string;
}
export const SELinuxOption = struct<SELinuxOption>(() => ({
  user: text(1),
  role: text(2),
  type: text(3),
  level: text(4),
}));

export interface Capability {
  readonly addCapabilities: readonly string[];
  readonly dropCapabilities: readonly string[];
  readonly addAmbientCapabilities: readonly string[];
}
export const Capability = struct<Capability>(() => ({
  addCapabilities: texts(1),
  dropCapabilities: texts(2),
  addAmbientCapabilities: texts(3),
}));

export interface LinuxContainerSecurityContext {
  readonly capabilities?: Capability;
  readonly privileged: boolean;
  readonly namespaceOptions?: NamespaceOption;
  readonly selinuxOptions?: SELinuxOption;
  readonly runAsUser?: Int64Value;
  readonly runAsGroup?: Int64Value;
  readonly runAsUsername: string;
  readonly readonlyRootfs: boolean;
  readonly supplementalGroups: readonly number[];
  readonly supplementalGroupsPolicy: SupplementalGroupsPolicy;
  readonly noNewPrivs: boolean;
  readonly maskedPaths: readonly string[];
  readonly readonlyPaths: readonly string[];
  readonly seccomp?: SecurityProfile;
  readonly apparmor?: SecurityProfile;
  readonly apparmorProfile: string;
  readonly seccompProfilePath: string;
}
export const LinuxContainerSecurityContext = struct<LinuxContainerSecurityContext>(() => ({
  capabilities: one(1, Capability),
  privileged: bool(2),
  namespaceOptions: one(3, NamespaceOption),
  selinuxOptions: one(4, SELinuxOption),
  runAsUser: one(5, Int64Value),
  runAsGroup: one(12, Int64Value),
  runAsUsername: text(6),
  readonlyRootfs: bool(7),
  supplementalGroups: signeds(8),
  supplementalGroupsPolicy: name(17, supplementalGroupsPolicyNumbers),
  noNewPrivs: bool(11),
  maskedPaths: texts(13),
  readonlyPaths: texts(14),
  seccomp: one(15, SecurityProfile),
  apparmor: one(16, SecurityProfile),
  apparmorProfile: text(9),
  seccompProfilePath: text(10),
}));

export interface LinuxContainerConfig {
  readonly resources?: LinuxContainerResources;
  readonly securityContext?: LinuxContainerSecurityContext;
}
export const LinuxContainerConfig = struct<LinuxContainerConfig>(() => ({
  resources: one(1, LinuxContainerResources),
  securityContext: one(2, LinuxContainerSecurityContext),
}));

export interface LinuxContainerUser {
  readonly uid: number;
  readonly gid: number;
  readonly supplementalGroups: readonly number[];
}
export const LinuxContainerUser = struct<LinuxContainerUser>(() => ({
  uid: signed(1),
  gid: signed(2),
  supplementalGroups: signeds(3),
}));

export interface WindowsNamespaceOption {
  readonly network: NamespaceMode;
}
export const WindowsNamespaceOption = struct<WindowsNamespaceOption>(() => ({
  network: name(1, namespaceModeNumbers),
}));

export interface WindowsSandboxSecurityContext {
  readonly runAsUsername: string;
  readonly credentialSpec: string;
  readonly hostProcess: boolean;
  readonly namespaceOptions?: WindowsNamespaceOption;
}
export const WindowsSandboxSecurityContext = struct<WindowsSandboxSecurityContext>(() => ({
  runAsUsername: text(1),
  credentialSpec: text(2),
  hostProcess: bool(3),
  namespaceOptions: one(4, WindowsNamespaceOption),
}));

export interface WindowsPodSandboxConfig {
  readonly securityContext?: WindowsSandboxSecurityContext;
}
export const WindowsPodSandboxConfig = struct<WindowsPodSandboxConfig>(() => ({
  securityContext: one(1, WindowsSandboxSecurityContext),
}));

export interface WindowsContainerSecurityContext {
  readonly runAsUsername: string;
  readonly credentialSpec: string;
  readonly hostProcess: boolean;
}
export const WindowsContainerSecurityContext = struct<WindowsContainerSecurityContext>(() => ({
  runAsUsername: text(1),
  credentialSpec: text(2),
  hostProcess: bool(3),
}));

export interface WindowsContainerConfig {
  readonly resources?: WindowsContainerResources;
  readonly securityContext?: WindowsContainerSecurityContext;
}
export const WindowsContainerConfig = struct<WindowsContainerConfig>(() => ({
  resources: one(1, WindowsContainerResources),
  securityContext: one(2, WindowsContainerSecurityContext),
}));

export interface WindowsContainerResources {
  readonly cpuShares: number;
  readonly cpuCount: number;
  readonly cpuMaximum: number;
  readonly memoryLimitInBytes: number;
  readonly rootfsSizeInBytes: number;
  readonly affinityCpus: readonly WindowsCpuGroupAffinity[];
}
export const WindowsContainerResources = struct<WindowsContainerResources>(() => ({
  cpuShares: signed(1),
  cpuCount: signed(2),
  cpuMaximum: signed(3),
  memoryLimitInBytes: signed(4),
  rootfsSizeInBytes: signed(5),
  affinityCpus: many(6, WindowsCpuGroupAffinity),
}));

export interface WindowsCpuGroupAffinity {
  readonly cpuMask: number;
  readonly cpuGroup: number;
}
export const WindowsCpuGroupAffinity = struct<WindowsCpuGroupAffinity>(() => ({
  cpuMask: unsigned(1),
  cpuGroup: unsigned(2),
}));

export interface ContainerMetadata {
  readonly name: string;
  readonly attempt: number;
}
export const ContainerMetadata = struct<ContainerMetadata>(() => ({
  name: text(1),
  attempt: unsigned(2),
}));

export interface Device {
  readonly containerPath: string;
  readonly hostPath: string;
  readonly permissions: string;
}
export const Device = struct<Device>(() => ({
  containerPath: text(1),
  hostPath: text(2),
  permissions: text(3),
}));

export interface CDIDevice {
  readonly name: string;
}
export const CDIDevice = struct<CDIDevice>(() => ({
  name: text(1),
}));

export interface ContainerConfig {
  readonly metadata?: ContainerMetadata;
  readonly image?: ImageSpec;
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly workingDir: string;
  readonly envs: readonly KeyValue[];
  readonly mounts: readonly Mount[];
  readonly devices: readonly Device[];
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly logPath: string;
  readonly stdin: boolean;
  readonly stdinOnce: boolean;
  readonly tty: boolean;
  readonly linux?: LinuxContainerConfig;
  readonly windows?: WindowsContainerConfig;
  readonly cdiDevices: readonly CDIDevice[];
  readonly stopSignal: Signal;
}
export const ContainerConfig = struct<ContainerConfig>(() => ({
  metadata: one(1, ContainerMetadata),
  image: one(2, ImageSpec),
  command: texts(3),
  args: texts(4),
  workingDir: text(5),
  envs: many(6, KeyValue),
  mounts: many(7, Mount),
  devices: many(8, Device),
  labels: textMap(9),
  annotations: textMap(10),
  logPath: text(11),
  stdin: bool(12),
  stdinOnce: bool(13),
  tty: bool(14),
  linux: one(15, LinuxContainerConfig),
  windows: one(16, WindowsContainerConfig),
  cdiDevices: many(17, CDIDevice),
  stopSignal: name(18, signalNumbers),
}));

export interface CreateContainerRequest {
  readonly podSandboxId: string;
  readonly config?: ContainerConfig;
  readonly sandboxConfig?: PodSandboxConfig;
}
export const CreateContainerRequest = struct<CreateContainerRequest>(() => ({
  podSandboxId: text(1),
  config: one(2, ContainerConfig),
  sandboxConfig: one(3, PodSandboxConfig),
}));

export interface CreateContainerResponse {
  readonly containerId: string;
}
export const CreateContainerResponse = struct<CreateContainerResponse>(() => ({
  containerId: text(1),
}));

export interface StartContainerRequest {
  readonly containerId: string;
}
export const StartContainerRequest = struct<StartContainerRequest>(() => ({
  containerId: text(1),
}));

export interface StartContainerResponse {}
export const StartContainerResponse = struct<StartContainerResponse>(() => ({}));

export interface StopContainerRequest {
  readonly containerId: string;
  readonly timeout: number;
}
export const StopContainerRequest = struct<StopContainerRequest>(() => ({
  containerId: text(1),
  timeout: signed(2),
}));

export interface StopContainerResponse {}
export const StopContainerResponse = struct<StopContainerResponse>(() => ({}));

export interface RemoveContainerRequest {
  readonly containerId: string;
}
export const RemoveContainerRequest = struct<RemoveContainerRequest>(() => ({
  containerId: text(1),
}));

export interface RemoveContainerResponse {}
export const RemoveContainerResponse = struct<RemoveContainerResponse>(() => ({}));

export interface ContainerStateValue {
  readonly state: ContainerState;
}
export const ContainerStateValue = struct<ContainerStateValue>(() => ({
  state: name(1, containerStateNumbers),
}));

export interface ContainerFilter {
  readonly id: string;
  readonly state?: ContainerStateValue;
  readonly podSandboxId: string;
  readonly labelSelector: Readonly<Record<string, string>>;
}
export const ContainerFilter = struct<ContainerFilter>(() => ({
  id: text(1),
  state: one(2, ContainerStateValue),
  podSandboxId: text(3),
  labelSelector: textMap(4),
}));

export interface ListContainersRequest {
  readonly filter?: ContainerFilter;
}
export const ListContainersRequest = struct<ListContainersRequest>(() => ({
  filter: one(1, ContainerFilter),
}));

export interface Container {
  readonly id: string;
  readonly podSandboxId: string;
  readonly metadata?: ContainerMetadata;
  readonly image?: ImageSpec;
  readonly imageRef: string;
  readonly state: ContainerState;
  readonly createdAt: bigint;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly imageId: string;
}
export const Container = struct<Container>(() => ({
  id: text(1),
  podSandboxId: text(2),
  metadata: one(3, ContainerMetadata),
  image: one(4, ImageSpec),
  imageRef: text(5),
  state: name(6, containerStateNumbers),
  createdAt: id(7),
  labels: textMap(8),
  annotations: textMap(9),
  imageId: text(10),
}));

export interface ListContainersResponse {
  readonly containers: readonly Container[];
}
export const ListContainersResponse = struct<ListContainersResponse>(() => ({
  containers: many(1, Container),
}));

export interface StreamContainersRequest {
  readonly filter?: ContainerFilter;
}
export const StreamContainersRequest = struct<StreamContainersRequest>(() => ({
  filter: one(1, ContainerFilter),
}));

export interface StreamContainersResponse {
  readonly containers: readonly Container[];
}
export const StreamContainersResponse = struct<StreamContainersResponse>(() => ({
  containers: many(1, Container),
}));

export interface ContainerStatusRequest {
  readonly containerId: string;
  readonly verbose: boolean;
}
export const ContainerStatusRequest = struct<ContainerStatusRequest>(() => ({
  containerId: text(1),
  verbose: bool(2),
}));

export interface ContainerStatus {
  readonly id: string;
  readonly metadata?: ContainerMetadata;
  readonly state: ContainerState;
  readonly createdAt: bigint;
  readonly startedAt: bigint;
  readonly finishedAt: bigint;
  readonly exitCode: number;
  readonly image?: ImageSpec;
  readonly imageRef: string;
  readonly reason: string;
  readonly message: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly mounts: readonly Mount[];
  readonly logPath: string;
  readonly resources?: ContainerResources;
  readonly imageId: string;
  readonly user?: ContainerUser;
  readonly stopSignal: Signal;
}
export const ContainerStatus = struct<ContainerStatus>(() => ({
  id: text(1),
  metadata: one(2, ContainerMetadata),
  state: name(3, containerStateNumbers),
  createdAt: id(4),
  startedAt: id(5),
  finishedAt: id(6),
  exitCode: signed(7),
  image: one(8, ImageSpec),
  imageRef: text(9),
  reason: text(10),
  message: text(11),
  labels: textMap(12),
  annotations: textMap(13),
  mounts: many(14, Mount),
  logPath: text(15),
  resources: one(16, ContainerResources),
  imageId: text(17),
  user: one(18, ContainerUser),
  stopSignal: name(19, signalNumbers),
}));

export interface ContainerStatusResponse {
  readonly status?: ContainerStatus;
  readonly info: Readonly<Record<string, string>>;
}
export const ContainerStatusResponse = struct<ContainerStatusResponse>(() => ({
  status: one(1, ContainerStatus),
  info: textMap(2),
}));

export interface ContainerResources {
  readonly linux?: LinuxContainerResources;
  readonly windows?: WindowsContainerResources;
}
export const ContainerResources = struct<ContainerResources>(() => ({
  linux: one(1, LinuxContainerResources),
  windows: one(2, WindowsContainerResources),
}));

export interface ContainerUser {
  readonly linux?: LinuxContainerUser;
}
export const ContainerUser = struct<ContainerUser>(() => ({
  linux: one(1, LinuxContainerUser),
}));

export interface UpdateContainerResourcesRequest {
  readonly containerId: string;
  readonly linux?: LinuxContainerResources;
  readonly windows?: WindowsContainerResources;
  readonly annotations: Readonly<Record<string, string>>;
}
export const UpdateContainerResourcesRequest = struct<UpdateContainerResourcesRequest>(() => ({
  containerId: text(1),
  linux: one(2, LinuxContainerResources),
  windows: one(3, WindowsContainerResources),
  annotations: textMap(4),
}));

export interface UpdateContainerResourcesResponse {}
export const UpdateContainerResourcesResponse = struct<UpdateContainerResourcesResponse>(() => ({}));

export interface ExecSyncRequest {
  readonly containerId: string;
  readonly cmd: readonly string[];
  readonly timeout: number;
}
export const ExecSyncRequest = struct<ExecSyncRequest>(() => ({
  containerId: text(1),
  cmd: texts(2),
  timeout: signed(3),
}));

export interface ExecSyncResponse {
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
  readonly exitCode: number;
}
export const ExecSyncResponse = struct<ExecSyncResponse>(() => ({
  stdout: bytes(1),
  stderr: bytes(2),
  exitCode: signed(3),
}));

export interface ExecRequest {
  readonly containerId: string;
  readonly cmd: readonly string[];
  readonly tty: boolean;
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
}
export const ExecRequest = struct<ExecRequest>(() => ({
  containerId: text(1),
  cmd: texts(2),
  tty: bool(3),
  stdin: bool(4),
  stdout: bool(5),
  stderr: bool(6),
}));

export interface ExecResponse {
  readonly url: string;
}
export const ExecResponse = struct<ExecResponse>(() => ({
  url: text(1),
}));

export interface AttachRequest {
  readonly containerId: string;
  readonly stdin: boolean;
  readonly tty: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
}
export const AttachRequest = struct<AttachRequest>(() => ({
  containerId: text(1),
  stdin: bool(2),
  tty: bool(3),
  stdout: bool(4),
  stderr: bool(5),
}));

export interface AttachResponse {
  readonly url: string;
}
export const AttachResponse = struct<AttachResponse>(() => ({
  url: text(1),
}));

export interface PortForwardRequest {
  readonly podSandboxId: string;
  readonly port: readonly number[];
}
export const PortForwardRequest = struct<PortForwardRequest>(() => ({
  podSandboxId: text(1),
  port: signeds(2),
}));

export interface PortForwardResponse {
  readonly url: string;
}
export const PortForwardResponse = struct<PortForwardResponse>(() => ({
  url: text(1),
}));

export interface ImageFilter {
  readonly image?: ImageSpec;
}
export const ImageFilter = struct<ImageFilter>(() => ({
  image: one(1, ImageSpec),
}));

export interface ListImagesRequest {
  readonly filter?: ImageFilter;
}
export const ListImagesRequest = struct<ListImagesRequest>(() => ({
  filter: one(1, ImageFilter),
}));

export interface Image {
  readonly id: string;
  readonly repoTags: readonly string[];
  readonly repoDigests: readonly string[];
  readonly size: number;
  readonly uid?: Int64Value;
  readonly username: string;
  readonly spec?: ImageSpec;
  readonly pinned: boolean;
}
export const Image = struct<Image>(() => ({
  id: text(1),
  repoTags: texts(2),
  repoDigests: texts(3),
  size: unsigned(4),
  uid: one(5, Int64Value),
  username: text(6),
  spec: one(7, ImageSpec),
  pinned: bool(8),
}));

export interface ListImagesResponse {
  readonly images: readonly Image[];
}
export const ListImagesResponse = struct<ListImagesResponse>(() => ({
  images: many(1, Image),
}));

export interface StreamImagesRequest {
  readonly filter?: ImageFilter;
}
export const StreamImagesRequest = struct<StreamImagesRequest>(() => ({
  filter: one(1, ImageFilter),
}));

export interface StreamImagesResponse {
  readonly images: readonly Image[];
}
export const StreamImagesResponse = struct<StreamImagesResponse>(() => ({
  images: many(1, Image),
}));

export interface ImageStatusRequest {
  readonly image?: ImageSpec;
  readonly verbose: boolean;
}
export const ImageStatusRequest = struct<ImageStatusRequest>(() => ({
  image: one(1, ImageSpec),
  verbose: bool(2),
}));

export interface ImageStatusResponse {
  readonly image?: Image;
  readonly info: Readonly<Record<string, string>>;
}
export const ImageStatusResponse = struct<ImageStatusResponse>(() => ({
  image: one(1, Image),
  info: textMap(2),
}));

export interface AuthConfig {
  readonly username: string;
  readonly password: string;
  readonly auth: string;
  readonly serverAddress: string;
  readonly identityToken: string;
  readonly registryToken: string;
}
export const AuthConfig = struct<AuthConfig>(() => ({
  username: text(1),
  password: text(2),
  auth: text(3),
  serverAddress: text(4),
  identityToken: text(5),
  registryToken: text(6),
}));

export interface PullImageRequest {
  readonly image?: ImageSpec;
  readonly auth?: AuthConfig;
  readonly sandboxConfig?: PodSandboxConfig;
}
export const PullImageRequest = struct<PullImageRequest>(() => ({
  image: one(1, ImageSpec),
  auth: one(2, AuthConfig),
  sandboxConfig: one(3, PodSandboxConfig),
}));

export interface PullImageResponse {
  readonly imageRef: string;
}
export const PullImageResponse = struct<PullImageResponse>(() => ({
  imageRef: text(1),
}));

export interface RemoveImageRequest {
  readonly image?: ImageSpec;
}
export const RemoveImageRequest = struct<RemoveImageRequest>(() => ({
  image: one(1, ImageSpec),
}));

export interface RemoveImageResponse {}
export const RemoveImageResponse = struct<RemoveImageResponse>(() => ({}));

export interface NetworkConfig {
  readonly podCidr: string;
}
export const NetworkConfig = struct<NetworkConfig>(() => ({
  podCidr: text(1),
}));

export interface RuntimeConfig {
  readonly networkConfig?: NetworkConfig;
}
export const RuntimeConfig = struct<RuntimeConfig>(() => ({
  networkConfig: one(1, NetworkConfig),
}));

export interface UpdateRuntimeConfigRequest {
  readonly runtimeConfig?: RuntimeConfig;
}
export const UpdateRuntimeConfigRequest = struct<UpdateRuntimeConfigRequest>(() => ({
  runtimeConfig: one(1, RuntimeConfig),
}));

export interface UpdateRuntimeConfigResponse {}
export const UpdateRuntimeConfigResponse = struct<UpdateRuntimeConfigResponse>(() => ({}));

export interface RuntimeCondition {
  readonly type: string;
  readonly status: boolean;
  readonly reason: string;
  readonly message: string;
}
export const RuntimeCondition = struct<RuntimeCondition>(() => ({
  type: text(1),
  status: bool(2),
  reason: text(3),
  message: text(4),
}));

export interface RuntimeStatus {
  readonly conditions: readonly RuntimeCondition[];
}
export const RuntimeStatus = struct<RuntimeStatus>(() => ({
  conditions: many(1, RuntimeCondition),
}));

export interface StatusRequest {
  readonly verbose: boolean;
}
export const StatusRequest = struct<StatusRequest>(() => ({
  verbose: bool(1),
}));

export interface RuntimeHandlerFeatures {
  readonly recursiveReadOnlyMounts: boolean;
  readonly userNamespaces: boolean;
}
export const RuntimeHandlerFeatures = struct<RuntimeHandlerFeatures>(() => ({
  recursiveReadOnlyMounts: bool(1),
  userNamespaces: bool(2),
}));

export interface RuntimeHandler {
  readonly name: string;
  readonly features?: RuntimeHandlerFeatures;
}
export const RuntimeHandler = struct<RuntimeHandler>(() => ({
  name: text(1),
  features: one(2, RuntimeHandlerFeatures),
}));

export interface RuntimeFeatures {
  readonly supplementalGroupsPolicy: boolean;
  readonly userNamespacesHostNetwork: boolean;
}
export const RuntimeFeatures = struct<RuntimeFeatures>(() => ({
  supplementalGroupsPolicy: bool(1),
  userNamespacesHostNetwork: bool(2),
}));

export interface StatusResponse {
  readonly status?: RuntimeStatus;
  readonly info: Readonly<Record<string, string>>;
  readonly runtimeHandlers: readonly RuntimeHandler[];
  readonly features?: RuntimeFeatures;
}
export const StatusResponse = struct<StatusResponse>(() => ({
  status: one(1, RuntimeStatus),
  info: textMap(2),
  runtimeHandlers: many(3, RuntimeHandler),
  features: one(4, RuntimeFeatures),
}));

export interface ImageFsInfoRequest {}
export const ImageFsInfoRequest = struct<ImageFsInfoRequest>(() => ({}));

export interface UInt64Value {
  readonly value: number;
}
export const UInt64Value = struct<UInt64Value>(() => ({
  value: unsigned(1),
}));

export interface FilesystemIdentifier {
  readonly mountpoint: string;
}
export const FilesystemIdentifier = struct<FilesystemIdentifier>(() => ({
  mountpoint: text(1),
}));

export interface FilesystemUsage {
  readonly timestamp: bigint;
  readonly fsId?: FilesystemIdentifier;
  readonly usedBytes?: UInt64Value;
  readonly inodesUsed?: UInt64Value;
}
export const FilesystemUsage = struct<FilesystemUsage>(() => ({
  timestamp: id(1),
  fsId: one(2, FilesystemIdentifier),
  usedBytes: one(3, UInt64Value),
  inodesUsed: one(4, UInt64Value),
}));

export interface WindowsFilesystemUsage {
  readonly timestamp: bigint;
  readonly fsId?: FilesystemIdentifier;
  readonly usedBytes?: UInt64Value;
}
export const WindowsFilesystemUsage = struct<WindowsFilesystemUsage>(() => ({
  timestamp: id(1),
  fsId: one(2, FilesystemIdentifier),
  usedBytes: one(3, UInt64Value),
}));

export interface ImageFsInfoResponse {
  readonly imageFilesystems: readonly FilesystemUsage[];
  readonly containerFilesystems: readonly FilesystemUsage[];
}
export const ImageFsInfoResponse = struct<ImageFsInfoResponse>(() => ({
  imageFilesystems: many(1, FilesystemUsage),
  containerFilesystems: many(2, FilesystemUsage),
}));

export interface ContainerStatsRequest {
  readonly containerId: string;
}
export const ContainerStatsRequest = struct<ContainerStatsRequest>(() => ({
  containerId: text(1),
}));

export interface ContainerStatsResponse {
  readonly stats?: ContainerStats;
}
export const ContainerStatsResponse = struct<ContainerStatsResponse>(() => ({
  stats: one(1, ContainerStats),
}));

export interface ListContainerStatsRequest {
  readonly filter?: ContainerStatsFilter;
}
export const ListContainerStatsRequest = struct<ListContainerStatsRequest>(() => ({
  filter: one(1, ContainerStatsFilter),
}));

export interface ContainerStatsFilter {
  readonly id: string;
  readonly podSandboxId: string;
  readonly labelSelector: Readonly<Record<string, string>>;
}
export const ContainerStatsFilter = struct<ContainerStatsFilter>(() => ({
  id: text(1),
  podSandboxId: text(2),
  labelSelector: textMap(3),
}));

export interface ListContainerStatsResponse {
  readonly stats: readonly ContainerStats[];
}
export const ListContainerStatsResponse = struct<ListContainerStatsResponse>(() => ({
  stats: many(1, ContainerStats),
}));

export interface StreamContainerStatsRequest {
  readonly filter?: ContainerStatsFilter;
}
export const StreamContainerStatsRequest = struct<StreamContainerStatsRequest>(() => ({
  filter: one(1, ContainerStatsFilter),
}));

export interface StreamContainerStatsResponse {
  readonly containerStats: readonly ContainerStats[];
}
export const StreamContainerStatsResponse = struct<StreamContainerStatsResponse>(() => ({
  containerStats: many(1, ContainerStats),
}));

export interface ContainerAttributes {
  readonly id: string;
  readonly metadata?: ContainerMetadata;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}
export const ContainerAttributes = struct<ContainerAttributes>(() => ({
  id: text(1),
  metadata: one(2, ContainerMetadata),
  labels: textMap(3),
  annotations: textMap(4),
}));

export interface ContainerStats {
  readonly attributes?: ContainerAttributes;
  readonly cpu?: CpuUsage;
  readonly memory?: MemoryUsage;
  readonly writableLayer?: FilesystemUsage;
  readonly swap?: SwapUsage;
  readonly io?: IoUsage;
}
export const ContainerStats = struct<ContainerStats>(() => ({
  attributes: one(1, ContainerAttributes),
  cpu: one(2, CpuUsage),
  memory: one(3, MemoryUsage),
  writableLayer: one(4, FilesystemUsage),
  swap: one(5, SwapUsage),
  io: one(6, IoUsage),
}));

export interface WindowsContainerStats {
  readonly attributes?: ContainerAttributes;
  readonly cpu?: WindowsCpuUsage;
  readonly memory?: WindowsMemoryUsage;
  readonly writableLayer?: WindowsFilesystemUsage;
}
export const WindowsContainerStats = struct<WindowsContainerStats>(() => ({
  attributes: one(1, ContainerAttributes),
  cpu: one(2, WindowsCpuUsage),
  memory: one(3, WindowsMemoryUsage),
  writableLayer: one(4, WindowsFilesystemUsage),
}));

export interface PsiStats {
  readonly full?: PsiData;
  readonly some?: PsiData;
}
export const PsiStats = struct<PsiStats>(() => ({
  full: one(1, PsiData),
  some: one(2, PsiData),
}));

export interface PsiData {
  readonly total: number;
  readonly avg10: number;
  readonly avg60: number;
  readonly avg300: number;
}
export const PsiData = struct<PsiData>(() => ({
  total: unsigned(1),
  avg10: double(2),
  avg60: double(3),
  avg300: double(4),
}));

export interface CpuUsage {
  readonly timestamp: bigint;
  readonly usageCoreNanoSeconds?: UInt64Value;
  readonly usageNanoCores?: UInt64Value;
  readonly psi?: PsiStats;
}
export const CpuUsage = struct<CpuUsage>(() => ({
  timestamp: id(1),
  usageCoreNanoSeconds: one(2, UInt64Value),
  usageNanoCores: one(3, UInt64Value),
  psi: one(4, PsiStats),
}));

export interface WindowsCpuUsage {
  readonly timestamp: bigint;
  readonly usageCoreNanoSeconds?: UInt64Value;
  readonly usageNanoCores?: UInt64Value;
}
export const WindowsCpuUsage = struct<WindowsCpuUsage>(() => ({
  timestamp: id(1),
  usageCoreNanoSeconds: one(2, UInt64Value),
  usageNanoCores: one(3, UInt64Value),
}));

export interface MemoryUsage {
  readonly timestamp: bigint;
  readonly workingSetBytes?: UInt64Value;
  readonly availableBytes?: UInt64Value;
  readonly usageBytes?: UInt64Value;
  readonly rssBytes?: UInt64Value;
  readonly pageFaults?: UInt64Value;
  readonly majorPageFaults?: UInt64Value;
  readonly psi?: PsiStats;
}
export const MemoryUsage = struct<MemoryUsage>(() => ({
  timestamp: id(1),
  workingSetBytes: one(2, UInt64Value),
  availableBytes: one(3, UInt64Value),
  usageBytes: one(4, UInt64Value),
  rssBytes: one(5, UInt64Value),
  pageFaults: one(6, UInt64Value),
  majorPageFaults: one(7, UInt64Value),
  psi: one(8, PsiStats),
}));

export interface IoUsage {
  readonly timestamp: bigint;
  readonly psi?: PsiStats;
}
export const IoUsage = struct<IoUsage>(() => ({
  timestamp: id(1),
  psi: one(2, PsiStats),
}));

export interface SwapUsage {
  readonly timestamp: bigint;
  readonly swapAvailableBytes?: UInt64Value;
  readonly swapUsageBytes?: UInt64Value;
}
export const SwapUsage = struct<SwapUsage>(() => ({
  timestamp: id(1),
  swapAvailableBytes: one(2, UInt64Value),
  swapUsageBytes: one(3, UInt64Value),
}));

export interface WindowsMemoryUsage {
  readonly timestamp: bigint;
  readonly workingSetBytes?: UInt64Value;
  readonly availableBytes?: UInt64Value;
  readonly pageFaults?: UInt64Value;
  readonly commitMemoryBytes?: UInt64Value;
}
export const WindowsMemoryUsage = struct<WindowsMemoryUsage>(() => ({
  timestamp: id(1),
  workingSetBytes: one(2, UInt64Value),
  availableBytes: one(3, UInt64Value),
  pageFaults: one(4, UInt64Value),
  commitMemoryBytes: one(5, UInt64Value),
}));

export interface ReopenContainerLogRequest {
  readonly containerId: string;
}
export const ReopenContainerLogRequest = struct<ReopenContainerLogRequest>(() => ({
  containerId: text(1),
}));

export interface ReopenContainerLogResponse {}
export const ReopenContainerLogResponse = struct<ReopenContainerLogResponse>(() => ({}));

export interface CheckpointContainerRequest {
  readonly containerId: string;
  readonly location: string;
  readonly timeout: number;
}
export const CheckpointContainerRequest = struct<CheckpointContainerRequest>(() => ({
  containerId: text(1),
  location: text(2),
  timeout: signed(3),
}));

export interface CheckpointContainerResponse {}
export const CheckpointContainerResponse = struct<CheckpointContainerResponse>(() => ({}));

export interface GetEventsRequest {}
export const GetEventsRequest = struct<GetEventsRequest>(() => ({}));

export interface ContainerEventResponse {
  readonly containerId: string;
  readonly containerEventType: ContainerEventType;
  readonly createdAt: bigint;
  readonly podSandboxStatus?: PodSandboxStatus;
  readonly containersStatuses: readonly ContainerStatus[];
}
export const ContainerEventResponse = struct<ContainerEventResponse>(() => ({
  containerId: text(1),
  containerEventType: name(2, containerEventTypeNumbers),
  createdAt: id(3),
  podSandboxStatus: one(4, PodSandboxStatus),
  containersStatuses: many(5, ContainerStatus),
}));

export interface ListMetricDescriptorsRequest {}
export const ListMetricDescriptorsRequest = struct<ListMetricDescriptorsRequest>(() => ({}));

export interface ListMetricDescriptorsResponse {
  readonly descriptors: readonly MetricDescriptor[];
}
export const ListMetricDescriptorsResponse = struct<ListMetricDescriptorsResponse>(() => ({
  descriptors: many(1, MetricDescriptor),
}));

export interface MetricDescriptor {
  readonly name: string;
  readonly help: string;
  readonly labelKeys: readonly string[];
}
export const MetricDescriptor = struct<MetricDescriptor>(() => ({
  name: text(1),
  help: text(2),
  labelKeys: texts(3),
}));

export interface ListPodSandboxMetricsRequest {}
export const ListPodSandboxMetricsRequest = struct<ListPodSandboxMetricsRequest>(() => ({}));

export interface ListPodSandboxMetricsResponse {
  readonly podMetrics: readonly PodSandboxMetrics[];
}
export const ListPodSandboxMetricsResponse = struct<ListPodSandboxMetricsResponse>(() => ({
  podMetrics: many(1, PodSandboxMetrics),
}));

export interface StreamPodSandboxMetricsRequest {}
export const StreamPodSandboxMetricsRequest = struct<StreamPodSandboxMetricsRequest>(() => ({}));

export interface StreamPodSandboxMetricsResponse {
  readonly podSandboxMetrics: readonly PodSandboxMetrics[];
}
export const StreamPodSandboxMetricsResponse = struct<StreamPodSandboxMetricsResponse>(() => ({
  podSandboxMetrics: many(1, PodSandboxMetrics),
}));

export interface PodSandboxMetrics {
  readonly podSandboxId: string;
  readonly metrics: readonly Metric[];
  readonly containerMetrics: readonly ContainerMetrics[];
}
export const PodSandboxMetrics = struct<PodSandboxMetrics>(() => ({
  podSandboxId: text(1),
  metrics: many(2, Metric),
  containerMetrics: many(3, ContainerMetrics),
}));

export interface ContainerMetrics {
  readonly containerId: string;
  readonly metrics: readonly Metric[];
}
export const ContainerMetrics = struct<ContainerMetrics>(() => ({
  containerId: text(1),
  metrics: many(2, Metric),
}));

export interface Metric {
  readonly name: string;
  readonly timestamp: bigint;
  readonly metricType: MetricType;
  readonly labelValues: readonly string[];
  readonly value?: UInt64Value;
}
export const Metric = struct<Metric>(() => ({
  name: text(1),
  timestamp: id(2),
  metricType: name(3, metricTypeNumbers),
  labelValues: texts(4),
  value: one(5, UInt64Value),
}));

export interface RuntimeConfigRequest {}
export const RuntimeConfigRequest = struct<RuntimeConfigRequest>(() => ({}));

export interface RuntimeConfigResponse {
  readonly linux?: LinuxRuntimeConfiguration;
}
export const RuntimeConfigResponse = struct<RuntimeConfigResponse>(() => ({
  linux: one(1, LinuxRuntimeConfiguration),
}));

export interface LinuxRuntimeConfiguration {
  readonly cgroupDriver: CgroupDriver;
}
export const LinuxRuntimeConfiguration = struct<LinuxRuntimeConfiguration>(() => ({
  cgroupDriver: name(1, cgroupDriverNumbers),
}));

export interface UpdatePodSandboxResourcesRequest {
  readonly podSandboxId: string;
  readonly overhead?: LinuxContainerResources;
  readonly resources?: LinuxContainerResources;
}
export const UpdatePodSandboxResourcesRequest = struct<UpdatePodSandboxResourcesRequest>(() => ({
  podSandboxId: text(1),
  overhead: one(2, LinuxContainerResources),
  resources: one(3, LinuxContainerResources),
}));

export interface UpdatePodSandboxResourcesResponse {}
export const UpdatePodSandboxResourcesResponse = struct<UpdatePodSandboxResourcesResponse>(() => ({}));
