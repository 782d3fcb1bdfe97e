import type { Check, CheckPod } from './check.ts';

/** Safe sysctls, by the version since which they are safe. */
const safeSince: readonly (readonly [since: number, names: readonly string[]])[] = [
  [
    0,
    [
      'kernel.shm_rmid_forced',
      'net.ipv4.ip_local_port_range',
      'net.ipv4.tcp_syncookies',
      'net.ipv4.ping_group_range',
      'net.ipv4.ip_unprivileged_port_start',
    ],
  ],
  [27, ['net.ipv4.ip_local_reserved_ports']],
  [
    29,
    [
      'net.ipv4.tcp_keepalive_time',
      'net.ipv4.tcp_fin_timeout',
      'net.ipv4.tcp_keepalive_intvl',
      'net.ipv4.tcp_keepalive_probes',
    ],
  ],
  [32, ['net.ipv4.tcp_rmem', 'net.ipv4.tcp_wmem']],
];

const checkSysctls =
  (safe: ReadonlySet<string>): CheckPod =>
  ({ spec }) => {
    const bad = (spec.securityContext?.sysctls ?? []).map(({ name }) => name).filter((name) => !safe.has(name));
    return bad.length > 0 ? { reason: 'forbidden sysctls', detail: bad.join(', ') } : undefined;
  };

export const sysctls: Check = {
  id: 'sysctls',
  level: 'baseline',
  versions: safeSince.map(([since], i) => ({
    since,
    check: checkSysctls(new Set(safeSince.slice(0, i + 1).flatMap(([, names]) => names))),
  })),
};
