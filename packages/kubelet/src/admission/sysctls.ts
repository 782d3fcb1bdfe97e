import type { Pod } from '@coxswain/api/core/v1';
import type { Rejection } from './admit-pod.ts';

/** Sysctls that affect only the pod that sets them. */
const safeSysctls: ReadonlySet<string> = new Set([
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
]);

/** Returns why the pod is rejected because of its sysctls; undefined if it is not. */
export function sysctlRejection({ spec }: Pod): Rejection | undefined {
  for (const { name } of spec?.securityContext?.sysctls ?? []) {
    const problem = problemOf(normalized(name), spec?.hostNetwork === true, spec?.hostIPC === true);
    if (problem) return { reason: 'SysctlForbidden', message: `forbidden sysctl: ${problem}` };
  }
  return undefined;
}

function problemOf(name: string, isHostNetwork: boolean, isHostIPC: boolean): string | undefined {
  if (!safeSysctls.has(name)) return `"${name}" not allowlisted`;
  const [namespace, isShared] = name.startsWith('net.') ? ['Net', isHostNetwork] : ['IPC', isHostIPC];
  return isShared ? `"${name}" not allowed with host ${namespace} enabled` : undefined;
}

/** Returns a sysctl's name with dots between its parts. In a name with slashes between the parts, dots and slashes are swapped. */
function normalized(name: string): string {
  const separator = /[./]/.exec(name)?.[0];
  return separator === '/' ? name.replace(/[./]/g, (found) => (found === '/' ? '.' : '/')) : name;
}
