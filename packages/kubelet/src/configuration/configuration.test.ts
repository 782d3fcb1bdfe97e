import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { completeConfiguration, defaultEvictionHard } from './complete-configuration.ts';
import { applyDropIns, loadConfigurationFile } from './configuration-files.ts';
import { configurationShape, type GivenConfiguration } from './configuration-shape.ts';
import { decodeConfiguration } from './decode-configuration.ts';
import { unsupportedFields } from './unsupported-fields.ts';
import { upstreamDefaults } from './upstream-defaults.test-data.ts';
import { validateConfiguration } from './validate-configuration.ts';

const head = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';

/** What Go leaves out of JSON. */
const isZero = (value: unknown): boolean =>
  [undefined, 0, '', false, '0s'].some((zero) => zero === value) ||
  (typeof value === 'object' && value !== null && Object.keys(value).length === 0);

describe('the defaults', () => {
  it('are those of upstream', () => {
    const ours: Readonly<Record<string, unknown>> = completeConfiguration({});
    const { authentication, logging, ...others } = upstreamDefaults;
    expect(ours).toMatchObject(others);
    expect(ours.authentication).toMatchObject({ webhook: authentication.webhook, anonymous: authentication.anonymous });
    const { options: _, ...known } = logging;
    expect(ours.logging).toMatchObject(known);
    for (const [name, value] of Object.entries(ours))
      if (!(name in upstreamDefaults)) expect([name, isZero(value)]).toEqual([name, true]);
  });

  it('depend on other fields where upstream’s do', () => {
    expect(completeConfiguration({ nodeStatusUpdateFrequency: '4s' }).nodeStatusReportFrequency).toBe('4s');
    expect(completeConfiguration({ maxParallelImagePulls: 3 }).serializeImagePulls).toBe(false);
    expect(completeConfiguration({ podPidsLimit: -7 }).podPidsLimit).toBe(-1);
    const zeros = completeConfiguration({ port: 0, syncFrequency: '0s', registryPullQPS: 0, healthzPort: 0 });
    expect(zeros).toMatchObject({ port: 10250, syncFrequency: '1m0s', registryPullQPS: 0, healthzPort: 0 });
  });
});

describe('a file is refused', () => {
  it.each<[sentence: string, text: string, message: string]>([
    ['without a kind', 'apiVersion: v1\n', "Object 'Kind' is missing in 'apiVersion: v1\n'"],
    ['without a version', 'kind: X\n', "Object 'apiVersion' is missing in 'kind: X\n'"],
    [
      'of another version',
      head.replace('v1beta1', 'v1'),
      'no kind "KubeletConfiguration" is registered for version "kubelet.config.k8s.io/v1"',
    ],
    [
      'with unknown fields',
      `${head}foo: 1\nauthentication: {bar: 2}\nregisterWithTaints: [{key: a, x: 3}]\n`,
      'strict decoding error: unknown field "authentication.bar", unknown field "foo", unknown field "registerWithTaints[0].x"',
    ],
    [
      'with a text for a number',
      `${head}port: x\n`,
      'json: cannot unmarshal string into Go struct field KubeletConfiguration.port of type int32',
    ],
    [
      'with a number that is too large',
      `${head}maxPods: 3000000000\n`,
      'json: cannot unmarshal number 3000000000 into Go struct field KubeletConfiguration.maxPods of type int32',
    ],
    [
      'with a number for a duration',
      `${head}syncFrequency: 5\n`,
      'json: cannot unmarshal number into Go struct field KubeletConfiguration.syncFrequency of type string',
    ],
    ['with an invalid duration', `${head}syncFrequency: x\n`, 'syncFrequency: time: invalid duration "x"'],
    [
      'with a text for a list',
      `${head}clusterDNS: x\n`,
      'json: cannot unmarshal string into Go struct field KubeletConfiguration.clusterDNS of type []string',
    ],
  ])('%s', (_, text, message) => {
    expect(() => decodeConfiguration(text)).toThrow(new Error(message));
  });

  it('with a field twice', () => {
    expect(() => decodeConfiguration(`${head}maxPods: 3\nmaxPods: 4\n`)).toThrow(/strict decoding error: .*"maxPods"/s);
  });
});

it('knows every field that upstream has a default for', () => {
  expect(Object.keys(configurationShape)).toEqual(expect.arrayContaining(Object.keys(upstreamDefaults)));
});

const v2 = { isCgroupV2: true };
const problemsOf = (given: GivenConfiguration, machine = v2) =>
  validateConfiguration(completeConfiguration(given), machine);

/** What upstream’s validation says of these, word for word. */
const invalid: Readonly<Record<string, [GivenConfiguration, string[]]>> = {
  'numbers out of range': [
    { port: 70_000, maxPods: -1, imageGCLowThresholdPercent: 90, cpuCFSQuotaPeriod: '2s', podLogsDir: '/a/../b' },
    [
      'invalid configuration: cpuCFSQuotaPeriod (--cpu-cfs-quota-period) {2s} must be between 1ms and 1sec, inclusive',
      'invalid configuration: imageGCLowThresholdPercent (--image-gc-low-threshold) 90 must be less than imageGCHighThresholdPercent (--image-gc-high-threshold) 85',
      'invalid configuration: maxPods (--max-pods) -1 must not be a negative number',
      'invalid configuration: port (--port) 70000 must be between 1 and 65535, inclusive',
      'invalid configuration: pod logs path "/a/../b" must be normalized',
    ],
  ],
  'taints and enforcements': [
    {
      registerWithTaints: [{ key: 'a b', effect: 'Foo' }],
      topologyManagerPolicy: 'x',
      enforceNodeAllocatable: ['pods', 'pods', 'x', 'kube-reserved'],
    },
    [
      'invalid taint: {a b  Foo <nil>}',
      'invalid configuration: topologyManagerPolicy (--topology-manager-policy) "x" must be one of: ["none" "best-effort" "restricted" "single-numa-node"]',
      'invalid configuration: duplicated enforcements "pods" in enforceNodeAllocatable (--enforce-node-allocatable)',
      'invalid configuration: option "x" specified for enforceNodeAllocatable (--enforce-node-allocatable). Valid options are "pods", "system-reserved", "system-reserved-compressible", "kube-reserved", "kube-reserved-compressible" or "none"',
      'invalid configuration: kubeReservedCgroup (--kube-reserved-cgroup) must be specified when "kube-reserved" or "kube-reserved-compressible" included in enforceNodeAllocatable (--enforce-node-allocatable)',
    ],
  ],
  'periods and choices': [
    {
      runOnce: true,
      shutdownGracePeriod: '10s',
      shutdownGracePeriodCriticalPods: '20s',
      memorySwap: { swapBehavior: 'X' },
      crashLoopBackOff: { maxContainerRestartPeriod: '500ms' },
      hairpinMode: 'x',
      imagePullCredentialsVerificationPolicy: 'Never',
      reservedSystemCPUs: '0-x',
      reservedMemory: [{ numaNode: 0, limits: { cpu: '0' } }],
      userNamespaces: { idsPerPod: 5 },
      logging: { format: 'xml' },
      memoryThrottlingFactor: 2,
      containerLogMonitorInterval: '1s',
    },
    [
      'invalid configuration: runOnce (--runOnce) true, Runonce mode has been deprecated and should not be set',
      'invalid configuration: shutdownGracePeriodCriticalPods {20s} must be <= shutdownGracePeriod {10s}',
      'invalid configuration: memorySwap.swapBehavior "X" must be one of: "", "LimitedSwap" or "NoSwap"',
      'invalid configuration: CrashLoopBackOff.MaxContainerRestartPeriod (got: 0.5 seconds) must be set between 1s and 300s',
      'invalid configuration: option "x" specified for hairpinMode (--hairpin-mode). Valid options are "none", "hairpin-veth" or "promiscuous-bridge"',
      'invalid configuration: option "Never" specified for imagePullCredentialsVerificationPolicy. Valid options are "NeverVerify", "NeverVerifyPreloadedImages", "NeverVerifyAllowlistedImages" or "AlwaysVerify"',
      'invalid configuration: unable to parse reservedSystemCPUs (--reserved-cpus) 0-x, error: strconv.Atoi: parsing "x": invalid syntax',
      'invalid configuration: the limit type "cpu" for NUMA node 0 is not supported, only [memory hugepages-<HugePageSize>] is accepted',
      'invalid configuration: reserved memory may not be zero for NUMA node 0 and resource "cpu"',
      'invalid configuration: userNamespaces.idsPerPod must not be less than 65536',
      'logging.format: Invalid value: "xml": Unsupported log format',
      'invalid configuration: memoryThrottlingFactor 2 must be greater than 0 and less than or equal to 1.0',
      'invalid configuration: containerLogMonitorInterval must be a positive time duration greater than or equal to 3s',
    ],
  ],
  'a relative directory of logs': [
    { podLogsDir: 'c/b' },
    ['invalid configuration: pod logs path "c/b" must be absolute path'],
  ],
};

describe('a configuration is invalid with', () => {
  it.each(Object.entries(invalid))('%s', (_, [given, problems]) => {
    expect(problemsOf(given)).toEqual(problems);
  });
});

it('is valid on a machine with cgroup v1 only if it says so', () => {
  expect(problemsOf({}, { isCgroupV2: false })).toEqual([
    'kubelet is configured to not run on a host using cgroup v1. cgroup v1 support is unsupported and will be removed in a future release',
  ]);
  expect(problemsOf({ failCgroupV1: false }, { isCgroupV2: false })).toEqual([]);
  expect(problemsOf({})).toEqual([]);
});

it('an unknown feature gate is refused', () => {
  expect(() => completeConfiguration({ featureGates: { Foo: true } })).toThrow('unrecognized feature gate: Foo');
});

it('fields that would be ignored are refused, their defaults are not', () => {
  expect(unsupportedFields(completeConfiguration({}))).toEqual([]);
  const given = { cpuManagerPolicy: 'static', evictionSoft: { 'memory.available': '1Gi' }, shutdownGracePeriod: '10s' };
  expect(unsupportedFields(completeConfiguration(given))).toEqual([
    'cpuManagerPolicy (--cpu-manager-policy): this kubelet does not have a CPU manager; leave the field out',
    'evictionSoft (--eviction-soft): this kubelet does not have eviction of pods; leave the field out',
    'shutdownGracePeriod: this kubelet does not have a graceful node shutdown; leave the field out',
  ]);
});

describe('configuration files', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kubelet-configuration-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  async function write(name: string, text: string): Promise<string> {
    const path = join(directory, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    return path;
  }

  it('have paths relative to themselves, and thresholds of eviction', async () => {
    const file = await write('a/config.yaml', `${head}staticPodPath: manifests\nresolvConf: ""\n`);
    const config = await loadConfigurationFile(file);
    expect(config.staticPodPath).toBe(join(directory, 'a/manifests'));
    expect(config.resolvConf).toBe('');
    expect(config.evictionHard).toEqual(defaultEvictionHard);
    const own = await write('b.yaml', `${head}evictionHard: {memory.available: 1Gi}\n`);
    expect((await loadConfigurationFile(own)).evictionHard).toEqual({ 'memory.available': '1Gi' });
    const merged = await write(
      'c.yaml',
      `${head}evictionHard: {memory.available: 1Gi}\nmergeDefaultEvictionSettings: true\n`,
    );
    expect((await loadConfigurationFile(merged)).evictionHard).toEqual({
      ...defaultEvictionHard,
      'memory.available': '1Gi',
    });
  });

  it('that cannot be read are errors that name them', async () => {
    const missing = join(directory, 'none.yaml');
    await expect(loadConfigurationFile(missing)).rejects.toThrow(
      `failed to load kubelet config file, path: ${missing}, error: failed to load Kubelet config file ${missing}, error failed to read kubelet config file "${missing}", error: open ${missing}: no such file or directory`,
    );
    const empty = await write('empty.yaml', '');
    await expect(loadConfigurationFile(empty)).rejects.toThrow(`kubelet config file "${empty}" was empty`);
    const unknown = await write('unknown.yaml', `${head}foo: 1\n`);
    await expect(loadConfigurationFile(unknown)).rejects.toThrow('strict decoding error: unknown field "foo"');
  });

  it('of a drop-in directory are merged in lexical order', async () => {
    await write(
      '20.conf',
      `${head}maxPods: 20\nclusterDNS: [10.0.0.20]\nauthentication: {anonymous: {enabled: true}}\n`,
    );
    await write('10.conf', `${head}maxPods: 10\nclusterDNS: [10.0.0.10, 10.0.0.11]\nclusterDomain: ten\n`);
    await write('15/a.conf', `${head}maxPods: 15\npodsPerCore: 15\n`);
    await write('30.conf', `${head}cgroupRoot: null\nkubeReserved: {memory: 2Gi}\n`);
    await write('99.yaml', 'not read');
    const base = completeConfiguration({ cgroupRoot: '/x', kubeReserved: { cpu: '1' }, healthzPort: 1 });
    expect(await applyDropIns(base, directory)).toMatchObject({
      maxPods: 20,
      podsPerCore: 15,
      clusterDNS: ['10.0.0.20'],
      clusterDomain: 'ten',
      authentication: { anonymous: { enabled: true }, webhook: { enabled: true } },
      cgroupRoot: '',
      kubeReserved: { cpu: '1', memory: '2Gi' },
      healthzPort: 1,
    });
  });

  it('of a drop-in directory are as strict', async () => {
    const file = await write('10.conf', `${head}foo: 1\n`);
    await expect(applyDropIns(completeConfiguration({}), directory)).rejects.toThrow(
      `failed to merge kubelet configs: failed to walk through kubelet dropin directory "${directory}": failed to load kubelet dropin file, path: ${file}, error: failed to load drop-in kubelet config file ${file}, error strict decoding error: unknown field "foo"`,
    );
    await write('10.conf', 'apiVersion: v1\nkind: Pod\n');
    await expect(applyDropIns(completeConfiguration({}), directory)).rejects.toThrow('no kind "Pod"');
  });
});
