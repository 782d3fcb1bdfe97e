import type { PodSpec } from '@coxswain/api/core/v1';
import { expect, it } from 'vitest';
import { sysctlRejection } from './sysctls.ts';

const cases: Record<string, [string, Partial<PodSpec>, string | undefined]> = {
  'one that is safe': ['net.ipv4.tcp_syncookies', {}, undefined],
  'one that is safe, with slashes': ['net/ipv4/tcp_syncookies', {}, undefined],
  'one that others would feel': ['kernel.msgmax', {}, 'forbidden sysctl: "kernel.msgmax" not allowlisted'],
  'one of the node’s network': [
    'net.ipv4.tcp_syncookies',
    { hostNetwork: true },
    'forbidden sysctl: "net.ipv4.tcp_syncookies" not allowed with host Net enabled',
  ],
  'one of the node’s IPC': [
    'kernel.shm_rmid_forced',
    { hostIPC: true },
    'forbidden sysctl: "kernel.shm_rmid_forced" not allowed with host IPC enabled',
  ],
};

it.each(Object.entries(cases))('%s', (_, [name, spec, message]) => {
  const pod = {
    metadata: {},
    spec: { containers: [], securityContext: { sysctls: [{ name, value: '1' }] }, ...spec },
  };
  expect(sysctlRejection(pod)).toEqual(message === undefined ? undefined : { reason: 'SysctlForbidden', message });
});
