import { describe, expect, it } from 'vitest';
import type { PluginDefinition } from '../framework/handle.ts';
import { defaultPlugins } from '../plugins/index.ts';
import { completeConfiguration } from './complete-configuration.ts';
import { profilesWithIgnoredResources } from './ignored-resources.ts';
import { parseConfiguration } from './parse-configuration.ts';

const head = 'apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n';
const parse = (text: string, ...plugins: PluginDefinition[]) => parseConfiguration(head + text, plugins);

describe('defaults', () => {
  it('are upstream’s', () => {
    expect(completeConfiguration()).toEqual({
      parallelism: 16,
      leaderElection: {
        leaderElect: true,
        leaseDuration: '15s',
        renewDeadline: '10s',
        retryPeriod: '2s',
        resourceLock: 'leases',
        resourceName: 'kube-scheduler',
        resourceNamespace: 'kube-system',
      },
      clientConnection: {
        kubeconfig: '',
        acceptContentTypes: '',
        contentType: 'application/vnd.kubernetes.protobuf',
        qps: 50,
        burst: 100,
      },
      enableProfiling: true,
      enableContentionProfiling: true,
      percentageOfNodesToScore: 0,
      podInitialBackoffSeconds: 1,
      podMaxBackoffSeconds: 10,
      profiles: [
        { schedulerName: 'default-scheduler', plugins: { multiPoint: { enabled: defaultPlugins } }, pluginConfig: [] },
      ],
      extenders: [],
      delayCacheUntilActive: false,
    });
  });

  it('name a single profile after the default scheduler, but not several profiles', () => {
    expect(parse('profiles: [{}]').profiles[0]?.schedulerName).toBe('default-scheduler');
    expect(() => parse('profiles: [{schedulerName: a}, {}]')).toThrow('profiles[1].schedulerName: Required value');
  });
});

describe('plug-ins of a profile', () => {
  const enabled = (plugins: string) =>
    parse(`profiles: [{plugins: ${plugins}}]`).profiles[0]?.plugins.multiPoint?.enabled?.map(
      ({ name, weight }) => `${name}${weight === undefined ? '' : `:${weight}`}`,
    );
  const all = defaultPlugins.map(({ name, weight }) => `${name}${weight === undefined ? '' : `:${weight}`}`);

  it.each<[string, string, string[]]>([
    ['are the default ones', '{}', all],
    ['can be added', '{multiPoint: {enabled: [{name: Mine}]}}', [...all, 'Mine']],
    ['can be disabled', '{multiPoint: {disabled: [{name: NodeName}]}}', all.filter((name) => name !== 'NodeName')],
    [
      'can all be disabled except some',
      "{multiPoint: {disabled: [{name: '*'}], enabled: [{name: NodeName}]}}",
      ['NodeName'],
    ],
    [
      'keep their position with another weight',
      '{multiPoint: {enabled: [{name: NodeAffinity, weight: 9}]}}',
      all.map((name) => (name === 'NodeAffinity:2' ? 'NodeAffinity:9' : name)),
    ],
  ])('%s', (_, plugins, expected) => {
    expect(enabled(plugins)).toEqual(expected);
  });
});

describe('a file', () => {
  it.each<[string, string, string]>([
    [
      'has unknown fields',
      'foo: 1\nprofiles: [{bar: 1}]',
      'strict decoding error: unknown field "foo", unknown field "profiles[0].bar"',
    ],
    [
      'has several mistakes',
      'parallelism: 0\nprofiles: [{schedulerName: a, percentageOfNodesToScore: 101}]',
      '[parallelism: Invalid value: 0: should be an integer value greater than zero, profiles[0].percentageOfNodesToScore: Invalid value: 101: not in valid range [0-100]]',
    ],
    [
      'has the same profile twice',
      'profiles: [{schedulerName: a}, {schedulerName: a}]',
      'profiles[1].schedulerName: Duplicate value: "profiles[0].schedulerName"',
    ],
    [
      'has too short a backoff',
      'podInitialBackoffSeconds: 0',
      'podInitialBackoffSeconds: Invalid value: 0: must be greater than 0',
    ],
    [
      'has a maximum backoff that is shorter than the initial one',
      'podInitialBackoffSeconds: 5\npodMaxBackoffSeconds: 1',
      'podMaxBackoffSeconds: Invalid value: 1: must be greater than or equal to PodInitialBackoffSeconds',
    ],
    [
      'has a lease duration that is shorter than the renew deadline',
      'leaderElection: {leaseDuration: 5s}',
      'leaderElection.leaseDuration: Invalid value: "10s": must be greater than `RenewDeadline`',
    ],
    [
      'has different queue sort plug-ins',
      'profiles: [{schedulerName: a}, {schedulerName: b, plugins: {queueSort: {enabled: [{name: Mine}]}}}]',
      'profiles[1].plugins.queueSort: Invalid value: {"Enabled":[{"Name":"Mine","Weight":0}],"Disabled":null}: must be the same for all profiles',
    ],
    [
      'has an extender whose scores have no weight',
      'extenders: [{urlPrefix: http://x, prioritizeVerb: p}]',
      'extenders[0].weight: Invalid value: 0: must have a positive weight applied to it',
    ],
    [
      'has two extenders that bind',
      'extenders: [{urlPrefix: http://x, bindVerb: b}, {urlPrefix: http://y, bindVerb: b}]',
      'extenders: Invalid value: "found 2 extenders implementing bind": only one extender can implement bind',
    ],
    [
      'has an extender for a resource that is not an extended one',
      'extenders: [{urlPrefix: http://x, managedResources: [{name: cpu}]}]',
      'extenders[0].managedResources[0].name: Invalid value: "cpu": is an invalid extended resource name',
    ],
    [
      'names a removed plug-in',
      'profiles: [{plugins: {filter: {enabled: [{name: EBSLimits}]}}}]',
      'profiles[0].plugins.filter.enabled[0]: Invalid value: "EBSLimits": was invalid in version "v1" (KubeSchedulerConfiguration is version "kubescheduler.config.k8s.io/v1")',
    ],
    [
      'has args twice',
      'profiles: [{pluginConfig: [{name: Mine}, {name: Mine}]}]',
      'profiles[0].pluginConfig[1]: Duplicate value: "Mine"',
    ],
    [
      'has args that a plug-in refuses',
      'profiles: [{pluginConfig: [{name: InterPodAffinity, args: {hardPodAffinityWeight: 101}}]}]',
      'profiles[0].pluginConfig[0].args.hardPodAffinityWeight: Invalid value: 101: not in valid range [0, 100]',
    ],
    [
      'has args that a plug-in does not know',
      'profiles: [{pluginConfig: [{name: InterPodAffinity, args: {foo: 1}}]}]',
      'strict decoding error: decoding .profiles[0].pluginConfig[0]: strict decoding error: decoding args for plugin InterPodAffinity: strict decoding error: unknown field "foo"',
    ],
  ])('that %s is refused', (_, text, message) => {
    expect(() => parse(text)).toThrow(new Error(message));
  });

  it.each<[string, string]>([
    ['kind: KubeSchedulerConfiguration\n', "Object 'apiVersion' is missing in 'kind: KubeSchedulerConfiguration\n'"],
    ['apiVersion: v1\n', "Object 'Kind' is missing in 'apiVersion: v1\n'"],
    [
      'apiVersion: kubescheduler.config.k8s.io/v1beta3\nkind: KubeSchedulerConfiguration\n',
      'no kind "KubeSchedulerConfiguration" is registered for version "kubescheduler.config.k8s.io/v1beta3"',
    ],
    ['{', "couldn't decode the configuration: "],
  ])('%j is not a configuration', (text, message) => {
    expect(() => parseConfiguration(text)).toThrow(message);
  });
});

it('resources that extenders manage are ignored by the scheduler', () => {
  const profiles = profilesWithIgnoredResources(
    parse(`
profiles: [{pluginConfig: [{name: NodeResourcesFit, args: {ignoredResources: [example.com/a]}}]}]
extenders:
- urlPrefix: http://x
  managedResources: [{name: example.com/b, ignoredByScheduler: true}, {name: example.com/c}]
`),
  );
  expect(profiles[0]?.pluginConfig).toEqual([
    { name: 'NodeResourcesFit', args: { ignoredResources: ['example.com/a', 'example.com/b'] } },
  ]);
});
