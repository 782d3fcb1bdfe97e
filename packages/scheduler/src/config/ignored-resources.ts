import { isJsonObject } from '@coxswain/apimachinery/json';
import type { SchedulerProfile } from '../framework/profile.ts';
import type { SchedulerConfiguration } from './types.ts';

const fit = 'NodeResourcesFit';

/**
 * Returns the profiles with the resources that extenders manage alone (`ignoredByScheduler`) added to the ignored
 * resources of NodeResourcesFit.
 */
export function profilesWithIgnoredResources({
  profiles,
  extenders,
}: Pick<SchedulerConfiguration, 'profiles' | 'extenders'>): readonly SchedulerProfile[] {
  const managed = extenders.flatMap(({ managedResources = [] }) => managedResources);
  const ignored = managed.filter(({ ignoredByScheduler }) => ignoredByScheduler).map(({ name }) => name);
  return ignored.length === 0 ? profiles : profiles.map((profile) => withIgnoredResources(profile, ignored));
}

function withIgnoredResources(profile: SchedulerProfile, ignored: readonly string[]): SchedulerProfile {
  const others = profile.pluginConfig.filter(({ name }) => name !== fit);
  const given = profile.pluginConfig.find(({ name }) => name === fit)?.args;
  const args = isJsonObject(given) ? given : {};
  const before = Array.isArray(args.ignoredResources) ? args.ignoredResources : [];
  return {
    ...profile,
    pluginConfig: [...others, { name: fit, args: { ...args, ignoredResources: [...before, ...ignored] } }],
  };
}
