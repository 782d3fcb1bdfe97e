import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { camelCase, FlagError, OptionsError } from '@coxswain/component-base';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { configurationFlags } from './configuration-flags.ts';
import { kubeletFlags } from './kubelet-flags.ts';
import { loadConfiguration } from './load-configuration.ts';
import { ignoredFlags, refusedFlags } from './other-flags.ts';
import { kubeletHelp, parseKubeletOptions as parse } from './parse-options.ts';
import { upstreamFlags } from './upstream-flags.test-data.ts';

const machine = { isCgroupV2: true };

/** Upstream’s names of types. */
const goTypes: Readonly<Record<string, string>> = {
  bool: '',
  stringSlice: 'strings',
  int64: 'int',
  quantity: 'string',
  'reserved-memory': 'string',
};

function shown(value: unknown): string {
  if (value === undefined || value instanceof Map) return '';
  if (Array.isArray(value)) return `[${value.join(',')}]`;
  return typeof value === 'object' && value !== null ? Object.entries(value).join() : String(value);
}

describe('the flags', () => {
  it('are all of upstream’s, each in one table', () => {
    const names = [kubeletFlags, ignoredFlags, refusedFlags].flatMap((table) => Object.keys(table));
    expect(names.sort()).toEqual(upstreamFlags.map(([name]) => name).sort());
  });

  it('have upstream’s types and defaults', () => {
    const types = Object.fromEntries(
      Object.entries({ ...kubeletFlags, ...ignoredFlags, ...refusedFlags }).map(([name, { type }]) => [
        name,
        type.name,
      ]),
    );
    const defaults = Object.fromEntries(
      Object.entries(kubeletFlags).map(([name, { byDefault }]) => [name, shown(byDefault)]),
    );
    for (const [name, type, byDefault] of upstreamFlags) {
      expect([name, types[name]]).toEqual([name, goTypes[type] ?? type]);
      // An empty list of taints is shown as nothing.
      const expected = name === 'register-with-taints' ? '[]' : byDefault;
      if (name in defaults) expect([name, defaults[name]]).toEqual([name, expected]);
    }
  });

  it('are parsed as by upstream', () => {
    const args = ['--max-pods=5', '--node-labels=a=b', '--node-labels', 'c=d', '-v2', '--fail-swap-on=false'];
    expect(
      parse([...args, '--eviction-hard=memory.available<1Gi', '--register-with-taints=a=b:NoSchedule,c:NoExecute']),
    ).toEqual({
      wanted: 'run',
      options: {
        maxPods: 5,
        nodeLabels: new Map([
          ['a', 'b'],
          ['c', 'd'],
        ]),
        v: 2,
        failSwapOn: false,
        evictionHard: { 'memory.available': '1Gi' },
        registerWithTaints: [
          { key: 'a', value: 'b', effect: 'NoSchedule' },
          { key: 'c', effect: 'NoExecute' },
        ],
      },
      notices: [],
    });
    expect(parse(['-h'])).toEqual({ wanted: 'help' });
  });

  it.each<[args: string, message: string]>([
    ['--max-pods=x', 'invalid argument "x" for "--max-pods" flag: strconv.ParseInt: parsing "x": invalid syntax'],
    [
      '--max-pods=3000000000',
      'invalid argument "3000000000" for "--max-pods" flag: strconv.ParseInt: parsing "3000000000": value out of range',
    ],
    ['--kube-reserved=cpu', 'invalid argument "cpu" for "--kube-reserved" flag: malformed pair, expect string=string'],
    ['--eviction-hard=a=1', 'invalid argument "a=1" for "--eviction-hard" flag: malformed pair, expect string<string'],
    ['--register-with-taints=a', 'invalid argument "a" for "--register-with-taints" flag: invalid taint spec: a'],
    [
      '--register-with-taints=a:Foo',
      'invalid argument "a:Foo" for "--register-with-taints" flag: invalid taint effect: Foo, unsupported taint effect',
    ],
    [
      '--register-with-taints=a:NoSchedule,a=b:NoSchedule',
      'invalid argument "a:NoSchedule,a=b:NoSchedule" for "--register-with-taints" flag: duplicated taints with the same key and effect: {a b NoSchedule <nil>}',
    ],
    ['--address=x', 'invalid argument "x" for "--address" flag: "x" is not a valid IP address'],
    ['--foo', 'unknown flag: --foo'],
  ])('%s is refused', (args, message) => {
    expect(() => parse([args])).toThrow(expect.objectContaining({ name: FlagError.name, message }));
  });

  it.each<[args: string, message: RegExp]>([
    [
      '--node-labels=kubernetes.io/foo=bar',
      /^failed to validate kubelet flags: unknown 'kubernetes.io' or 'k8s.io' labels specified with --node-labels: \[kubernetes.io\/foo\]/,
    ],
    ['--node-labels=a=b/c', /invalid node labels: 'b\/c' - a valid label must be/],
    [
      '--node-ip=1.2.3.4,1.2.3.5',
      /bad --node-ip "1.2.3.4,1.2.3.5": must contain either a single IP or a dual-stack pair of IPs/,
    ],
    ['--node-ip=0.0.0.0,::1', /dual-stack node IP cannot include '0.0.0.0' or '::'/],
    ['--cloud-provider=aws', /cloud provider "aws" was specified, but built-in cloud providers are disabled/],
    ['--image-credential-provider-config=x', /this kubelet does not have credential provider plug-ins/],
  ])('%s is refused with a reason', (args, message) => {
    expect(() => parse([args])).toThrow(OptionsError);
    expect(() => parse([args])).toThrow(message);
  });

  it('allow those labels of Kubernetes that are the kubelet’s to set', () => {
    const labels = 'node.kubernetes.io/a=b,x.kubelet.kubernetes.io/c=d,topology.kubernetes.io/zone=z,example.com/e=';
    expect(parse([`--node-labels=${labels}`])).toMatchObject({ wanted: 'run' });
  });

  it('without effect are reported if that could surprise', () => {
    expect(parse(['--runtime-cgroups=/x', '--housekeeping-interval=10s'])).toMatchObject({
      notices: ['--runtime-cgroups makes no difference: statistics of the container runtime itself are not collected'],
    });
  });

  it('are all in the help', () => {
    const help = kubeletHelp('cox kubelet');
    for (const [name] of upstreamFlags) expect(help).toContain(`--${name}`);
  });
});

describe('the configuration of a command line', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kubelet-options-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  const load = (...args: string[]) => {
    const parsed = parse(args);
    if (parsed.wanted !== 'run') throw new Error('not to be run');
    return loadConfiguration(parsed.options, machine);
  };
  const write = async (name: string, fields: string): Promise<string> => {
    const path = join(directory, name);
    await writeFile(path, `apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n${fields}`);
    return path;
  };

  it('is as open without a file as it was when there were only flags', async () => {
    expect(await load()).toMatchObject({
      readOnlyPort: 10255,
      authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
      authorization: { mode: 'AlwaysAllow' },
    });
    expect(await load(`--config=${await write('c', '')}`)).toMatchObject({
      readOnlyPort: 0,
      authentication: { anonymous: { enabled: false }, webhook: { enabled: true } },
      authorization: { mode: 'Webhook' },
    });
  });

  it('prefers flags to drop-ins, and these to the file', async () => {
    const file = await write(
      'c',
      'maxPods: 1\npodsPerCore: 1\nport: 1\nfeatureGates: {GracefulNodeShutdown: true, ImageVolume: true}\nkubeReserved: {cpu: "1"}\n',
    );
    await write('10.conf', 'maxPods: 2\npodsPerCore: 2\n');
    const config = await load(
      `--config=${file}`,
      `--config-dir=${directory}`,
      '--max-pods=3',
      '--kube-reserved=memory=1Gi',
      '--feature-gates=GracefulNodeShutdown=false',
      '--anonymous-auth',
    );
    expect(config).toMatchObject({ maxPods: 3, podsPerCore: 2, port: 1, kubeReserved: { memory: '1Gi' } });
    expect(config.kubeReserved).not.toHaveProperty('cpu');
    expect(config.featureGates).toEqual({ GracefulNodeShutdown: false, ImageVolume: true });
    expect(config.authentication).toMatchObject({ anonymous: { enabled: true }, webhook: { enabled: true } });
  });

  it('has each flag’s value in its field', async () => {
    const defaults = await load();
    for (const [name, { byDefault }] of Object.entries(configurationFlags)) {
      const options = { [camelCase(name)]: byDefault };
      if (byDefault !== undefined) expect(await loadConfiguration(options, machine)).toEqual(defaults);
    }
    expect(await load('--rotate-server-certificates', '--client-ca-file=/ca', '-v4', '--vmodule=a=1')).toMatchObject({
      serverTLSBootstrap: true,
      authentication: { x509: { clientCAFile: '/ca' } },
      logging: { verbosity: 4, vmodule: [{ filePattern: 'a', verbosity: 1 }] },
    });
  });

  it('is validated as a whole', async () => {
    await expect(load('--port=0', '--max-pods=-1')).rejects.toThrow(
      'failed to validate kubelet configuration, error: [invalid configuration: maxPods (--max-pods) -1 must not be a negative number, invalid configuration: port (--port) 0 must be between 1 and 65535, inclusive]',
    );
    await expect(load('--feature-gates=Foo=true')).rejects.toThrow(
      'failed to set feature gates from initial flags-based config: unrecognized feature gate: Foo',
    );
    await expect(load('--cpu-manager-policy=static')).rejects.toThrow('this kubelet does not have a CPU manager');
  });
});
