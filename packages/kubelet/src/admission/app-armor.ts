import { access, readFile } from 'node:fs/promises';
import type { AppArmorProfile, Pod } from '@coxswain/api/core/v1';
import { messageOf } from '@coxswain/apimachinery/errors';
import { allContainers } from '../pods/all-containers.ts';
import { effectiveSecurityContext } from '../runtime/security-context.ts';
import type { Rejection } from './rejection.ts';

/** Returns why AppArmor is not available; undefined if it is. `sys` is the mount point of sysfs. */
export async function appArmorProblem(sys = '/sys'): Promise<string | undefined> {
  const isMounted = await access(`${sys}/kernel/security/apparmor`).then(
    () => true,
    () => false,
  );
  const enabled = await readFile(`${sys}/module/apparmor/parameters/enabled`, 'utf8').catch(() => '');
  return isMounted && enabled.startsWith('Y') ? undefined : 'AppArmor is not enabled on the host';
}

/** Returns why a pod that has not run yet is rejected because of its AppArmor profiles; undefined if it is not. */
export function appArmorRejection(pod: Pod, problemOfHost: string | undefined): Rejection | undefined {
  if (pod.status?.phase !== 'Pending' && pod.status?.phase !== undefined) return undefined;
  const all = allContainers(pod);
  const own = [pod.spec?.securityContext, ...all.map((container) => container.securityContext)];
  const isRequired = own.some((context) => isConfined(context?.appArmorProfile));
  if (!isRequired) return undefined;
  try {
    if (problemOfHost !== undefined) throw new Error(problemOfHost);
    for (const container of all) checkName(effectiveSecurityContext(pod, container).appArmorProfile);
    return undefined;
  } catch (error) {
    return { reason: 'AppArmor', message: `Cannot enforce AppArmor: ${messageOf(error)}` };
  }
}

const isConfined = (profile: AppArmorProfile | undefined): boolean =>
  profile !== undefined && profile.type !== 'Unconfined';

function checkName(profile: AppArmorProfile | undefined): void {
  if (profile?.type !== 'Localhost' || profile.localhostProfile?.trim()) return;
  throw new Error(`invalid empty AppArmor profile name: ${JSON.stringify(profile.localhostProfile ?? '')}`);
}
