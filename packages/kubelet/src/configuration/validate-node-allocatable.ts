import { quote } from '@coxswain/apimachinery';
import type { KubeletConfiguration } from './complete-configuration.ts';

const field = 'enforceNodeAllocatable (--enforce-node-allocatable)';

/** The cgroup that each of them needs. */
const cgroups = {
  'system-reserved': 'system',
  'system-reserved-compressible': 'system',
  'kube-reserved': 'kube',
  'kube-reserved-compressible': 'kube',
} as const;

/** Returns what is wrong with `enforceNodeAllocatable`, in upstream's words and order. */
export function validateNodeAllocatable(config: KubeletConfiguration): string[] {
  const { enforceNodeAllocatable: given } = config;
  const problems: string[] = [];
  for (const part of ['system', 'kube'] as const) {
    const [whole, compressible] = [`${part}-reserved`, `${part}-reserved-compressible`];
    if (given.includes(whole) && given.includes(compressible))
      problems.push(`both ${quote(whole)} and ${quote(compressible)} cannot be specified together in ${field}`);
  }
  const seen = new Set<string>();
  for (const value of given) {
    if (seen.has(value)) {
      problems.push(`duplicated enforcements ${quote(value)} in ${field}`);
      continue;
    }
    seen.add(value);
    if (value === 'none') {
      if (given.length > 1) problems.push(`${field} may not contain additional enforcements when "none" is specified`);
      continue;
    }
    if (!isEnforcement(value)) {
      const options = ['pods', ...Object.keys(cgroups)].map((name) => quote(name)).join(', ');
      problems.push(`option ${quote(value)} specified for ${field}. Valid options are ${options} or "none"`);
      continue;
    }
    if (value !== 'pods') problems.push(...missingCgroup(config, cgroups[value]));
    if (!config.cgroupsPerQOS)
      problems.push(`cgroupsPerQOS (--cgroups-per-qos) must be set to true when ${quote(value)} contained in ${field}`);
  }
  return problems;
}

const isEnforcement = (value: string): value is keyof typeof cgroups | 'pods' =>
  value === 'pods' || Object.hasOwn(cgroups, value);

function missingCgroup(config: KubeletConfiguration, part: 'system' | 'kube'): string[] {
  if (config[`${part}ReservedCgroup`] !== '') return [];
  const values = `"${part}-reserved" or "${part}-reserved-compressible"`;
  return [`${part}ReservedCgroup (--${part}-reserved-cgroup) must be specified when ${values} included in ${field}`];
}
