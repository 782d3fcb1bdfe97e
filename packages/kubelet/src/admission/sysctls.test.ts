import type { PodSpec } from '@coxswain/api/core/v1';
import { expect, it } from 'vitest';
import { SysctlAllowlist } from './sysctls.ts';

const cases: Record<string, [string, Partial<PodSpec>, string | undefined]> = {
  'one that is safe': ['net.ipv4.tcp_syncookies', {}, undefined],
  'one that is safe, with slashes': ['net/ipv4/tcp_syncookies', {}, undefined],
  'one that others would feel': ['kernel.sem', {}, 'forbidden sysctl: "kernel.sem" not allowlisted'],
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
  'one that the node allows': ['kernel.msgmax', {}, undefined],
  'one that the node allows, in its IPC': [
    'kernel.msgmax',
    { hostIPC: true },
    'forbidden sysctl: "kernel.msgmax" not allowed with host IPC enabled',
  ],
  'one that begins as the node allows': ['net.core.somaxconn', {}, undefined],
  'one that begins as the node allows, in its network': [
    'net.core.somaxconn',
    { hostNetwork: true },
    'forbidden sysctl: "net.core.somaxconn" not allowed with host Net enabled',
  ],
};

it.each(Object.entries(cases))('%s', (_, [name, spec, message]) => {
  const pod = {
    metadata: {},
    spec: { containers: [], securityContext: { sysctls: [{ name, value: '1' }] }, ...spec },
  };
  const allowlist = new SysctlAllowlist(['kernel.msgmax', 'net.core.*']);
  expect(allowlist.rejectionOf(pod)).toEqual(
    message === undefined ? undefined : { reason: 'SysctlForbidden', message },
  );
});

it.each([
  ['vm.swappiness', 'the sysctls "vm.swappiness" are not known to be namespaced'],
  ['kernel.*', 'the sysctls "kernel." are not known to be namespaced'],
  ['Net.core', 'sysctl "Net.core" must have at most 253 characters and match regex'],
  ['net.*.core', 'sysctl "net.*.core" must have at most 253 characters and match regex'],
])('%s cannot be allowed', (pattern, message) => {
  expect(() => new SysctlAllowlist([pattern])).toThrow(message);
});
