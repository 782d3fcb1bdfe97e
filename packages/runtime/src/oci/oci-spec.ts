/** The parts of the OCI runtime configuration (`config.json`) that are written here. */
export interface OciSpec {
  readonly ociVersion: string;
  readonly process: OciProcess;
  readonly root: { readonly path: string; readonly readonly: boolean };
  readonly hostname?: string;
  readonly mounts: readonly OciMount[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly linux: OciLinux;
}

export interface OciProcess {
  readonly terminal: boolean;
  readonly user: { readonly uid: number; readonly gid: number; readonly additionalGids: readonly number[] };
  readonly args: readonly string[];
  readonly env: readonly string[];
  readonly cwd: string;
  readonly capabilities: LinuxCapabilities;
  readonly noNewPrivileges: boolean;
  readonly oomScoreAdj?: number;
  readonly apparmorProfile?: string;
  readonly selinuxLabel?: string;
}

export interface LinuxCapabilities {
  readonly bounding: readonly string[];
  readonly effective: readonly string[];
  readonly permitted: readonly string[];
  readonly inheritable?: readonly string[];
  readonly ambient?: readonly string[];
}

export interface OciMount {
  readonly destination: string;
  readonly type: string;
  readonly source: string;
  readonly options: readonly string[];
}

export interface OciLinux {
  readonly namespaces: readonly LinuxNamespace[];
  readonly cgroupsPath: string;
  readonly resources: LinuxResources;
  readonly devices: readonly LinuxDevice[];
  readonly maskedPaths: readonly string[];
  readonly readonlyPaths: readonly string[];
  readonly rootfsPropagation?: 'rshared' | 'rslave';
  readonly seccomp?: LinuxSeccomp;
  readonly mountLabel?: string;
}

export interface LinuxNamespace {
  readonly type: 'mount' | 'pid' | 'network' | 'ipc' | 'uts' | 'cgroup';
  /** A new one without. */
  readonly path?: string;
}

export interface LinuxDevice {
  readonly path: string;
  readonly type: 'c' | 'b' | 'p';
  readonly major: number;
  readonly minor: number;
  readonly fileMode: number;
  readonly uid: number;
  readonly gid: number;
}

export interface DeviceRule {
  readonly allow: boolean;
  readonly type?: 'c' | 'b' | 'p' | 'a';
  readonly major?: number;
  readonly minor?: number;
  readonly access: string;
}

export interface LinuxResources {
  readonly devices?: readonly DeviceRule[];
  readonly cpu?: {
    readonly shares?: number;
    readonly quota?: number;
    readonly period?: number;
    readonly cpus?: string;
    readonly mems?: string;
  };
  readonly memory?: { readonly limit?: number; readonly swap?: number };
  readonly hugepageLimits?: readonly { readonly pageSize: string; readonly limit: number }[];
  readonly unified?: Readonly<Record<string, string>>;
}

export interface LinuxSeccomp {
  readonly defaultAction: string;
  readonly architectures?: readonly string[];
  readonly syscalls: readonly SeccompRule[];
}

export interface SeccompRule {
  readonly names: readonly string[];
  readonly action: string;
  readonly errnoRet?: number;
  readonly args?: readonly {
    readonly index: number;
    readonly value: number;
    readonly valueTwo?: number;
    readonly op: 'SCMP_CMP_NE' | 'SCMP_CMP_EQ' | 'SCMP_CMP_MASKED_EQ';
  }[];
}
