export type { CgroupLimits, CgroupManager, CgroupResources, CgroupStats } from './cgroup-manager.ts';
export { type CgroupDriver, type CgroupName, newCgroupName } from './cgroup-name.ts';
export { cpuSharesOf, cpuWeightOf } from './cpu-weight.ts';
export { type FindCgroupsOptions, findCgroups } from './find-cgroups.ts';
export type { UnitProperty } from './slice-properties.ts';
export { Systemd, type SystemdOptions, type SystemdSocket } from './systemd.ts';
export type { SliceUnits } from './systemd-cgroup-manager.ts';
