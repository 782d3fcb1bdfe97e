import { readFile } from 'node:fs/promises';
import type { Capability } from '@coxswain/cri';
import type { LinuxCapabilities } from './oci-spec.ts';

/** By their numbers in the kernel. */
const names =
  `CHOWN DAC_OVERRIDE DAC_READ_SEARCH FOWNER FSETID KILL SETGID SETUID SETPCAP LINUX_IMMUTABLE NET_BIND_SERVICE NET_BROADCAST
  NET_ADMIN NET_RAW IPC_LOCK IPC_OWNER SYS_MODULE SYS_RAWIO SYS_CHROOT SYS_PTRACE SYS_PACCT SYS_ADMIN SYS_BOOT SYS_NICE SYS_RESOURCE SYS_TIME
  SYS_TTY_CONFIG MKNOD LEASE AUDIT_WRITE AUDIT_CONTROL SETFCAP MAC_OVERRIDE MAC_ADMIN SYSLOG WAKE_ALARM BLOCK_SUSPEND AUDIT_READ PERFMON BPF
  CHECKPOINT_RESTORE`
    .split(/\s+/)
    .map((name) => `CAP_${name}`);

/** What containers have by default, as with containerd. */
const defaults =
  `CHOWN DAC_OVERRIDE FSETID FOWNER MKNOD NET_RAW SETGID SETUID SETFCAP SETPCAP NET_BIND_SERVICE SYS_CHROOT KILL AUDIT_WRITE`
    .split(' ')
    .map((name) => `CAP_${name}`);

/** The capabilities that this process has: containers cannot have others. */
export async function ownCapabilities(procRoot = '/proc'): Promise<readonly string[]> {
  const status = await readFile(`${procRoot}/self/status`, 'utf8');
  const mask = BigInt(`0x${/^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? '0'}`);
  return names.filter((_, bit) => ((mask >> BigInt(bit)) & 1n) === 1n);
}

/**
 * The capabilities of a container. `ALL` is everything that this process has; single names are added to it and taken from it. Ambient
 * ones stay when a user without privileges runs a program.
 */
export function containerCapabilities(
  asked: Capability | undefined,
  isPrivileged: boolean,
  own: readonly string[],
): LinuxCapabilities {
  const { addCapabilities = [], dropCapabilities = [], addAmbientCapabilities = [] } = asked ?? {};
  const bounding = new Set(isPrivileged || addCapabilities.includes('ALL') ? own : defaults);
  if (!isPrivileged) {
    if (dropCapabilities.includes('ALL')) bounding.clear();
    for (const name of singles(addCapabilities)) bounding.add(name);
    for (const name of singles(dropCapabilities)) bounding.delete(name);
  }
  const list = [...bounding];
  const ambient = singles(addAmbientCapabilities).filter((name) => bounding.has(name));
  return {
    bounding: list,
    effective: list,
    permitted: list,
    ...(ambient.length > 0 && { inheritable: ambient, ambient }),
  };
}

const singles = (given: readonly string[]): string[] =>
  given
    .map((name) => name.toUpperCase())
    .flatMap((name) => (name === 'ALL' ? [] : [`CAP_${name.replace(/^CAP_/, '')}`]));
