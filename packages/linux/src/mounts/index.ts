export { type MountEntry, parseMountInfo, readMountInfo } from './mount-info.ts';
export { type BindMountRequest, MountError, type Mounter, type MountRequest, type UnmountOptions } from './mounter.ts';
export { UtilLinuxMounter } from './util-linux-mounter.ts';
