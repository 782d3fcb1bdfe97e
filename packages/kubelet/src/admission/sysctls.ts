import type { Pod } from '@coxswain/api/core/v1';
import { quote } from '@coxswain/apimachinery';
import type { Rejection } from './rejection.ts';

/** Sysctls that affect only the pod that sets them. */
const safeSysctls: readonly string[] = [
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_unprivileged_port_start',
  'net.ipv4.ip_local_reserved_ports',
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
  'net.ipv4.tcp_rmem',
  'net.ipv4.tcp_wmem',
];

/** The kernel's namespace in which a sysctl is. */
type Namespace = 'IPC' | 'Net';

const validPattern = String.raw`([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*([a-z0-9][-_a-z0-9]*)?[a-z0-9*]`;
const sysctlPattern = new RegExp(`^${validPattern}$`);
const mostCharacters = 253;

/**
 * The sysctls that pods of a node may set: those that are safe, and those that the node's configuration allows.
 *
 * Differs from upstream: the kernel's version does not matter. All sysctls that upstream takes as safe are in Linux 4.15 and later.
 */
export class SysctlAllowlist {
  readonly #names = new Map<string, Namespace>();
  readonly #prefixes = new Map<string, Namespace>();

  /** `patterns` are names of sysctls, or beginnings of names with `*` at the end. Throws an Error if one is invalid or has no namespace. */
  constructor(patterns: readonly string[]) {
    for (const pattern of [...safeSysctls, ...patterns]) {
      if (pattern.length > mostCharacters || !sysctlPattern.test(pattern)) {
        throw new Error(
          `sysctl ${quote(pattern)} must have at most ${mostCharacters} characters and match regex ${validPattern}`,
        );
      }
      const name = normalized(pattern);
      const star = name.indexOf('*');
      const known = star < 0 ? name : name.slice(0, star);
      const namespace = namespaceOf(known);
      if (!namespace) throw new Error(`the sysctls ${quote(known)} are not known to be namespaced`);
      (star < 0 ? this.#names : this.#prefixes).set(known, namespace);
    }
  }

  /** Returns why the pod is rejected because of its sysctls; undefined if it is not. */
  rejectionOf({ spec }: Pod): Rejection | undefined {
    const { hostNetwork = false, hostIPC = false } = spec ?? {};
    for (const { name } of spec?.securityContext?.sysctls ?? []) {
      const problem = this.#problemOf(normalized(name), { Net: hostNetwork, IPC: hostIPC });
      if (problem) return { reason: 'SysctlForbidden', message: `forbidden sysctl: ${problem}` };
    }
    return undefined;
  }

  #problemOf(name: string, isShared: Readonly<Record<Namespace, boolean>>): string | undefined {
    const [, ofPrefix] = [...this.#prefixes].find(([prefix]) => name.startsWith(prefix)) ?? [];
    const namespace = this.#names.get(name) ?? ofPrefix;
    if (!namespace) return `${quote(name)} not allowlisted`;
    return isShared[namespace] ? `${quote(name)} not allowed with host ${namespace} enabled` : undefined;
  }
}

/** `kernel.shm` and `kernel.msg` are beginnings of several. */
const ipcSysctls: ReadonlySet<string> = new Set([
  'kernel.sem',
  'kernel.shmall',
  'kernel.shmmax',
  'kernel.shmmni',
  'kernel.shm_rmid_forced',
  'kernel.shm',
  'kernel.msgmax',
  'kernel.msgmnb',
  'kernel.msgmni',
  'kernel.msg',
]);

function namespaceOf(name: string): Namespace | undefined {
  if (ipcSysctls.has(name) || name.startsWith('fs.mqueue.')) return 'IPC';
  return name.startsWith('net.') ? 'Net' : undefined;
}

/** Returns a sysctl's name with dots between its parts. In a name with slashes between the parts, dots and slashes are swapped. */
function normalized(name: string): string {
  const separator = /[./]/.exec(name)?.[0];
  return separator === '/' ? name.replace(/[./]/g, (found) => (found === '/' ? '.' : '/')) : name;
}
