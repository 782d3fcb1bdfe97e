export { type DiskUsage, diskUsage, type FileSystemUsage, fileSystemUsage } from './disk-usage.ts';
export { hasCode } from './error-code.ts';
export { makeDirectoryInside } from './make-directory-inside.ts';
export { componentsOf, openInside, pathOfDescriptor, pathOfHandle } from './open-inside.ts';
export { setVolumeOwnership, type VolumeOwnershipOptions, type VolumeOwnershipResult } from './volume-ownership.ts';
