import { messageOf } from '@coxswain/apimachinery/errors';
import { duplicate, type ErrorList, invalid, invalidEach, Path, required } from '@coxswain/apimachinery/field';
import { jsonEquals } from '@coxswain/apimachinery/json';
import { durationToMs } from '@coxswain/apimachinery/time';
import { isQualifiedName } from '@coxswain/apimachinery/validation';
import type { PluginDefinition } from '../framework/handle.ts';
import { extensionPoints } from '../framework/plugin.ts';
import type { PluginSet, SchedulerProfile } from '../framework/profile.ts';
import { configurationKind } from './configuration-kind.ts';
import type { ExtenderConfig, LeaderElectionConfig, SchedulerConfiguration } from './types.ts';

/** Plug-ins that were removed from Kubernetes. */
const removedPlugins: readonly string[] = ['AzureDiskLimits', 'CinderLimits', 'EBSLimits', 'GCEPDLimits'];

/** Throws an Error with all problems, worded as by kube-scheduler. */
export function checkConfiguration(config: SchedulerConfiguration, definitions: readonly PluginDefinition[]): void {
  const readers = new Map(definitions.map((definition) => [definition.name, definition]));
  const problems: string[] = [];
  const undecodable: string[] = [];
  const errors: ErrorList = [];
  const drain = (): void => {
    problems.push(...errors.splice(0).map(String));
  };
  if (config.clientConnection.burst < 0) {
    errors.push(invalid(Path.of('clientConnection', 'burst'), config.clientConnection.burst, 'must be non-negative'));
  }
  validateLeaderElection(config.leaderElection, errors);
  if (config.parallelism <= 0) {
    errors.push(invalid(Path.of('parallelism'), config.parallelism, 'should be an integer value greater than zero'));
  }
  const names = new Map<string, number>();
  for (const [index, profile] of config.profiles.entries()) {
    const path = Path.of('profiles').index(index);
    validateProfile(profile, path, errors);
    drain();
    readPluginConfig(profile, path, readers, { problems, undecodable });
    const before = names.get(profile.schedulerName);
    if (before !== undefined) {
      // Differs from upstream: it prints an empty object instead of the path of the other profile.
      errors.push(duplicate(path.child('schedulerName'), `profiles[${before}].schedulerName`));
    }
    names.set(profile.schedulerName, index);
  }
  validateCommonQueueSort(config.profiles, errors);
  validatePercentage(config.percentageOfNodesToScore, Path.of('percentageOfNodesToScore'), errors);
  const { podInitialBackoffSeconds: initial, podMaxBackoffSeconds: max } = config;
  if (initial <= 0) errors.push(invalid(Path.of('podInitialBackoffSeconds'), initial, 'must be greater than 0'));
  if (max < initial) {
    errors.push(
      invalid(Path.of('podMaxBackoffSeconds'), max, 'must be greater than or equal to PodInitialBackoffSeconds'),
    );
  }
  validateExtenders(config.extenders, errors);
  drain();
  if (undecodable.length > 0) throw new Error(`strict decoding error: ${undecodable.join(', ')}`);
  const all = [...new Set(problems)];
  if (all.length > 0) throw new Error(all.length === 1 ? all[0] : `[${all.join(', ')}]`);
}

function validateLeaderElection(config: LeaderElectionConfig, errors: ErrorList): void {
  if (!config.leaderElect) return;
  const path = Path.of('leaderElection');
  for (const field of ['leaseDuration', 'renewDeadline', 'retryPeriod'] as const) {
    if (durationToMs(config[field]) <= 0)
      errors.push(invalid(path.child(field), config[field], 'must be greater than zero'));
  }
  if (durationToMs(config.leaseDuration) <= durationToMs(config.renewDeadline)) {
    errors.push(invalid(path.child('leaseDuration'), config.renewDeadline, 'must be greater than `RenewDeadline`'));
  }
  if (config.resourceLock !== 'leases') {
    errors.push(invalid(path.child('resourceLock'), config.resourceLock, 'resourceLock value must be "leases"'));
  }
}

function validateProfile(profile: SchedulerProfile, path: Path, errors: ErrorList): void {
  if (!profile.schedulerName) errors.push(required(path.child('schedulerName'), ''));
  validatePercentage(profile.percentageOfNodesToScore, path.child('percentageOfNodesToScore'), errors);
  for (const [point, set] of Object.entries(profile.plugins)) {
    if (!(point in extensionPoints)) continue;
    for (const [index, { name }] of (set?.enabled ?? []).entries()) {
      if (removedPlugins.includes(name))
        errors.push(removed(path.child('plugins', point, 'enabled').index(index), name));
    }
  }
}

const removed = (path: Path, name: string) =>
  invalid(
    path,
    name,
    `was invalid in version "v1" (KubeSchedulerConfiguration is version "${configurationKind.apiVersion}")`,
  );

/** Each plug-in reads and validates its own args. */
function readPluginConfig(
  { pluginConfig }: SchedulerProfile,
  path: Path,
  readers: ReadonlyMap<string, PluginDefinition>,
  found: { readonly problems: string[]; readonly undecodable: string[] },
): void {
  const seen = new Set<string>();
  for (const [index, { name, args }] of pluginConfig.entries()) {
    const at = path.child('pluginConfig').index(index);
    if (seen.has(name)) found.problems.push(String(duplicate(at, name)));
    seen.add(name);
    if (removedPlugins.includes(name)) {
      found.problems.push(String(removed(at, name)));
      continue;
    }
    try {
      readers.get(name)?.readArgs?.(args, at.child('args'));
    } catch (error) {
      const message = messageOf(error);
      if (/^(strict decoding error|failed decoding): /.test(message)) {
        found.undecodable.push(`decoding .${at}: strict decoding error: decoding args for plugin ${name}: ${message}`);
      } else {
        found.problems.push(...split(message));
      }
    }
  }
}

/** Removes the brackets of a joined message, so that it can be joined again without nested lists. */
const split = (message: string): string[] => (/^\[.*\]$/.test(message) ? [message.slice(1, -1)] : [message]);

function validatePercentage(percentage: number | undefined, path: Path, errors: ErrorList): void {
  if (percentage !== undefined && (percentage < 0 || percentage > 100)) {
    errors.push(invalid(path, percentage, 'not in valid range [0-100]'));
  }
}

/** All profiles share one queue, so their queue sort plug-ins must be the same. */
function validateCommonQueueSort(profiles: readonly SchedulerProfile[], errors: ErrorList): void {
  const [first, ...others] = profiles;
  const queueSort = first?.plugins.queueSort;
  const count = queueSort?.enabled?.length ?? 0;
  if (count > 1) {
    const path = Path.of('profiles').index(0).child('plugins', 'queueSort', 'Enabled');
    errors.push(invalid(path, count, 'only one queue sort plugin can be enabled'));
  }
  for (const [index, { plugins }] of others.entries()) {
    if (jsonEquals(plugins.queueSort ?? {}, queueSort ?? {})) continue;
    const path = Path.of('profiles')
      .index(index + 1)
      .child('plugins', 'queueSort');
    errors.push(invalid(path, printed(plugins.queueSort), 'must be the same for all profiles'));
  }
}

/** As Go prints the struct, with its Go field names. */
function printed({ enabled, disabled }: PluginSet = {}): object {
  const list = (references: PluginSet['enabled']) =>
    references?.map(({ name, weight = 0 }) => ({ Name: name, Weight: weight })) ?? null;
  return { Enabled: list(enabled), Disabled: list(disabled) };
}

function validateExtenders(extenders: readonly ExtenderConfig[], errors: ErrorList): void {
  const path = Path.of('extenders');
  const managed = new Set<string>();
  for (const [index, { prioritizeVerb, weight = 0, managedResources = [] }] of extenders.entries()) {
    const at = path.index(index);
    if (prioritizeVerb && weight <= 0) {
      errors.push(invalid(at.child('weight'), weight, 'must have a positive weight applied to it'));
    }
    for (const [i, { name }] of managedResources.entries()) {
      const namePath = at.child('managedResources').index(i).child('name');
      validateExtendedResourceName(name, namePath, errors);
      if (managed.has(name)) errors.push(invalid(namePath, name, 'duplicate extender managed resource name'));
      managed.add(name);
    }
  }
  const binders = extenders.filter(({ bindVerb }) => bindVerb).length;
  if (binders > 1) {
    errors.push(invalid(path, `found ${binders} extenders implementing bind`, 'only one extender can implement bind'));
  }
}

function validateExtendedResourceName(name: string, path: Path, errors: ErrorList): void {
  const count = errors.length;
  invalidEach(path, name, isQualifiedName(name), errors);
  if (errors.length > count) return;
  const isNative = !name.includes('/') || /(^|\.)kubernetes\.io\//.test(name) || name.startsWith('requests.');
  if (isNative) errors.push(invalid(path, name, 'is an invalid extended resource name'));
}
