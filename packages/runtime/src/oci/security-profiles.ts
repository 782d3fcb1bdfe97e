import { readFile } from 'node:fs/promises';
import type { LinuxContainerSecurityContext, SELinuxOption, SecurityProfile } from '@coxswain/cri';
import { defaultSeccompProfile } from './default-seccomp-profile.ts';
import type { LinuxSeccomp } from './oci-spec.ts';

type Security = Pick<
  LinuxContainerSecurityContext,
  'privileged' | 'seccomp' | 'seccompProfilePath' | 'apparmor' | 'apparmorProfile'
>;

/** What the kernel of this machine enforces. */
export interface SecurityModules {
  readonly appArmor: boolean;
  readonly selinux: boolean;
}

export async function securityModules(sysRoot = '/sys'): Promise<SecurityModules> {
  const read = (path: string): Promise<string> => readFile(`${sysRoot}/${path}`, 'utf8').catch(() => '');
  return {
    appArmor: (await read('module/apparmor/parameters/enabled')).startsWith('Y'),
    selinux: (await read('fs/selinux/enforce')) !== '',
  };
}

/** A profile may be given as a message, or as a name by clients of older kubelets. */
function profileOf(profile: SecurityProfile | undefined, name: string): SecurityProfile | undefined {
  if (profile || name === '') return profile;
  if (name === 'runtime/default' || name === 'docker/default')
    return { profileType: 'RuntimeDefault', localhostRef: '' };
  if (name === 'unconfined') return { profileType: 'Unconfined', localhostRef: '' };
  if (name.startsWith('localhost/')) return { profileType: 'Localhost', localhostRef: name.slice('localhost/'.length) };
  throw new Error(`invalid security profile "${name}"`);
}

/** The filter of system calls; undefined for none. Rejects if the file of a profile cannot be read. */
export async function seccompProfile(
  { privileged, seccomp, seccompProfilePath }: Security,
  capabilities: readonly string[],
  architecture: string,
): Promise<LinuxSeccomp | undefined> {
  const profile = profileOf(seccomp, seccompProfilePath);
  if (privileged || !profile || profile.profileType === 'Unconfined') return undefined;
  if (profile.profileType === 'RuntimeDefault') return defaultSeccompProfile(capabilities, architecture);
  const text = await readFile(profile.localhostRef, 'utf8').catch((cause: Error) => {
    throw new Error(`cannot load seccomp profile "${profile.localhostRef}": ${cause.message}`, { cause });
  });
  const parsed: unknown = JSON.parse(text);
  if (!isProfile(parsed))
    throw new Error(`decoding seccomp profile failed: ${profile.localhostRef} has no defaultAction`);
  return { ...parsed, syscalls: parsed.syscalls ?? [] };
}

const isProfile = (value: unknown): value is LinuxSeccomp =>
  typeof value === 'object' && value !== null && 'defaultAction' in value && typeof value.defaultAction === 'string';

/** The default profile that is loaded on nodes with one of these runtimes; ours if none is. */
const defaultAppArmorProfiles = ['coxswain-default', 'cri-containerd.apparmor.d', 'crio-default', 'docker-default'];

/** The AppArmor profile of a container; undefined for none. Rejects if one is asked for that this machine does not have. */
export async function appArmorProfile(
  { privileged, apparmor, apparmorProfile }: Security,
  isEnabled: boolean,
  sysRoot = '/sys',
): Promise<string | undefined> {
  const profile = profileOf(apparmor, apparmorProfile);
  if (!isEnabled) {
    if (profile?.profileType === 'Localhost') throw new Error('apparmor is not supported');
    return undefined;
  }
  if (profile?.profileType === 'Unconfined' || (privileged && profile?.profileType !== 'Localhost')) return undefined;
  const loaded = await readFile(`${sysRoot}/kernel/security/apparmor/profiles`, 'utf8').catch(() => '');
  const names = new Set(loaded.split('\n').map((line) => line.replace(/ \([a-z]+\)$/, '')));
  if (profile?.profileType !== 'Localhost') return defaultAppArmorProfiles.find((name) => names.has(name));
  if (names.has(profile.localhostRef)) return profile.localhostRef;
  throw new Error(`apparmor profile not found ${profile.localhostRef}`);
}

/** The SELinux label of a container's processes; undefined if SELinux is off, or no label is asked for. */
export function selinuxLabel(options: SELinuxOption | undefined, { selinux }: SecurityModules): string | undefined {
  if (!selinux || !options) return undefined;
  const { user, role, type, level } = options;
  if (user === '' && role === '' && type === '' && level === '') return undefined;
  return [user || 'system_u', role || 'system_r', type || 'container_t', level || 's0'].join(':');
}
