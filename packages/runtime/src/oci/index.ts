export { ownCapabilities } from './capabilities.ts';
export { containerMounts } from './container-mounts.ts';
export { containerSpec, type NodeFacts, securityOf } from './container-spec.ts';
export { containerUser } from './container-user.ts';
export { containerDevices } from './linux-devices.ts';
export { cgroupAbilities, cgroupsPath, linuxResources, updatedResources } from './linux-resources.ts';
export type { LinuxNamespace, OciProcess, OciSpec } from './oci-spec.ts';
export { pathInRoot } from './path-in-root.ts';
export { securityModules } from './security-profiles.ts';
