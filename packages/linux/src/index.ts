/**
 * What a node needs of Linux and Node lacks: mounts, safe paths inside volumes, cgroups, and facts about the machine. It knows no pods.
 * Most of it needs root; all of it returns without blocking the event loop.
 *
 * Where to start: `UtilLinuxMounter` over `HelperCommands`, `SubPaths`, `findCgroups`, `machineFacts`.
 */
export {
  type CgroupDriver,
  type CgroupLimits,
  type CgroupManager,
  type CgroupName,
  type CgroupResources,
  type CgroupStats,
  cpuSharesOf,
  cpuWeightOf,
  type FindCgroupsOptions,
  findCgroups,
  newCgroupName,
  type SliceUnits,
  Systemd,
  type SystemdOptions,
  type SystemdSocket,
  type UnitProperty,
} from './cgroups/index.ts';
export {
  type CommandResult,
  type Commands,
  HelperCommands,
  type HelperCommandsOptions,
  type RunOptions,
} from './commands/index.ts';
export {
  type DiskUsage,
  diskUsage,
  type FileSystemUsage,
  fileSystemUsage,
  makeDirectoryInside,
  openInside,
  pathOfDescriptor,
  pathOfHandle,
  setVolumeOwnership,
  type VolumeOwnershipOptions,
  type VolumeOwnershipResult,
} from './files/index.ts';
export {
  type HugePages,
  type MachineFacts,
  type MachineRoots,
  type MemoryInfo,
  machineFacts,
  memoryInfo,
} from './machine/index.ts';
export {
  type BindMountRequest,
  type MountEntry,
  MountError,
  type Mounter,
  type MountRequest,
  parseMountInfo,
  readMountInfo,
  type UnmountOptions,
  UtilLinuxMounter,
} from './mounts/index.ts';
export { type SubPath, SubPaths } from './sub-path/index.ts';
