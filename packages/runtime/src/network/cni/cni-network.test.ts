import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeClock, systemClock } from '@coxswain/apimachinery/clock';
import { silentLogger } from '@coxswain/apimachinery/log';
import { HelperCommands } from '@coxswain/linux';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { NetworkedPod } from '../pod-network.ts';
import { CNINetwork, type CNINetworkOptions } from './cni-network.ts';

/** Logs how it is called, keeps its input, and answers by a script `<type>.<command>`, if there is one; `ADD` with a result. */
const plugin = `#!/bin/sh
dir=$(dirname "$0"); type=$(basename "$0")
echo "$CNI_COMMAND $type $CNI_CONTAINERID $CNI_NETNS $CNI_IFNAME" >>"$dir/log"
echo "$CNI_ARGS" >"$dir/args"
cat >"$dir/$type.$CNI_COMMAND.json"
if [ -e "$dir/$type.$CNI_COMMAND" ]; then . "$dir/$type.$CNI_COMMAND"
elif [ "$CNI_COMMAND" = ADD ]; then
  echo '{"cniVersion":"VERSION","interfaces":[{"name":"br"},{"name":"eth0","sandbox":"/n"}],"ips":[{"address":"10.1.2.3/24","interface":1}],"dns":{},"x":"'$type'"}'
fi
`;

const pod: NetworkedPod = {
  id: 'sandbox1',
  name: 'web',
  namespace: 'default',
  uid: 'u1',
  netns: '/proc/self/ns/net',
  portMappings: [
    { protocol: 'TCP', containerPort: 80, hostPort: 8080, hostIP: '' },
    { protocol: 'UDP', containerPort: 53, hostPort: 5353, hostIP: '192.0.2.1' },
    { protocol: 'TCP', containerPort: 81, hostPort: 0, hostIP: '' },
  ],
  annotations: { 'kubernetes.io/ingress-bandwidth': '1M', 'kubernetes.io/egress-bandwidth': '10M' },
};

describe.skipIf(process.platform !== 'linux')('CNINetwork', () => {
  const commands = new HelperCommands();
  let directory: string;
  let bin: string;
  let network: CNINetwork;

  const start = (options: Partial<CNINetworkOptions> = {}): CNINetwork =>
    new CNINetwork({
      commands,
      clock: systemClock,
      logger: silentLogger,
      configurationDirectory: join(directory, 'net.d'),
      pluginPath: [join(directory, 'none'), bin],
      stateDirectory: join(directory, 'state'),
      ...options,
    });
  const configure = async (list: object, file = '10-net.conflist'): Promise<void> => {
    await writeFile(join(directory, 'net.d', file), JSON.stringify(list));
  };
  const list = (version: string, plugins: readonly object[] = [{ type: 'one' }, { type: 'two' }]) => ({
    cniVersion: version,
    name: 'net',
    plugins,
  });
  const answer = (type: string, command: string, script: string): Promise<void> =>
    writeFile(join(bin, `${type}.${command}`), script);
  const log = async (): Promise<readonly string[]> =>
    (await readFile(join(bin, 'log'), 'utf8').catch(() => '')).trim().split('\n');
  const calls = async (): Promise<readonly string[]> =>
    (await log()).map((line) => line.split(' ').slice(0, 2).join(' '));
  const input = async (type: string, command: string): Promise<unknown> =>
    JSON.parse(await readFile(join(bin, `${type}.${command}.json`), 'utf8'));
  const records = (): Promise<readonly string[]> => readdir(join(directory, 'state', 'attachments'));

  const install = async (version: string): Promise<void> => {
    for (const type of ['one', 'two', 'three']) {
      await writeFile(join(bin, type), plugin.replace('VERSION', version));
      await chmod(join(bin, type), 0o755);
    }
  };

  beforeEach(async () => {
    if (directory !== undefined) await rm(directory, { recursive: true });
    directory = await mkdtemp(join(tmpdir(), 'coxswain-cni-'));
    bin = join(directory, 'bin');
    await mkdir(bin);
    await mkdir(join(directory, 'net.d'));
    await install('1.0.0');
    await configure(list('1.0.0'));
    network = start();
  });
  afterAll(async () => {
    commands.close();
    await rm(directory, { recursive: true });
  });

  it('attaches by all plug-ins in order, each with the result before, and detaches in reverse with the last one', async () => {
    expect(await network.setUp(pod)).toEqual({ ips: ['10.1.2.3'] });
    expect(await log()).toEqual(['ADD one sandbox1 /proc/self/ns/net eth0', 'ADD two sandbox1 /proc/self/ns/net eth0']);
    expect(await readFile(join(bin, 'args'), 'utf8')).toBe(
      'IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=web;K8S_POD_INFRA_CONTAINER_ID=sandbox1;K8S_POD_UID=u1\n',
    );
    expect(await input('one', 'ADD')).toEqual({ type: 'one', name: 'net', cniVersion: '1.0.0' });
    expect(await input('two', 'ADD')).toMatchObject({ prevResult: { cniVersion: '1.0.0', x: 'one' } });

    await network.tearDown(pod);
    expect((await calls()).slice(2)).toEqual(['DEL two', 'DEL one']);
    expect(await input('one', 'DEL')).toMatchObject({ prevResult: { x: 'two' } });
    await network.tearDown(pod);
    expect(await log()).toHaveLength(4);
    expect(await readdir(join(directory, 'state', 'calls'))).toEqual([]);
  });

  it('gives each plug-in the capabilities that it declares', async () => {
    const capabilities = { portMappings: true, bandwidth: true, ipRanges: true, dns: true, mac: true };
    const one = { type: 'one', capabilities: { ...capabilities, bandwidth: false } };
    await configure(list('1.0.0', [one, { type: 'two', capabilities: { bandwidth: true } }]));
    await start({ podCIDR: '10.1.2.0/24,fd00::/64' }).setUp({
      ...pod,
      dns: { servers: ['10.0.0.10'], searches: ['svc'], options: [] },
    });
    expect(await input('one', 'ADD')).toMatchObject({
      runtimeConfig: {
        portMappings: [
          { hostPort: 8080, containerPort: 80, protocol: 'tcp' },
          { hostPort: 5353, containerPort: 53, protocol: 'udp', hostIP: '192.0.2.1' },
        ],
        ipRanges: [[{ subnet: '10.1.2.0/24' }], [{ subnet: 'fd00::/64' }]],
        dns: { servers: ['10.0.0.10'], searches: ['svc'], options: [] },
      },
    });
    expect(await input('one', 'ADD')).not.toHaveProperty('runtimeConfig.bandwidth');
    expect(await input('two', 'ADD')).toHaveProperty('runtimeConfig', {
      bandwidth: { ingressRate: 1e6, ingressBurst: 4294967295, egressRate: 1e7, egressBurst: 4294967295 },
    });
    const annotations = { 'kubernetes.io/ingress-bandwidth': '1' };
    await expect(network.setUp({ ...pod, annotations })).rejects.toThrow(
      'reading pod bandwidth annotations: resource is unreasonably small (< 1kbit)',
    );
  });

  it.each([
    ['JSON', `echo '{"code":7,"msg":"no room","details":"at all"}'; exit 1`, 'no room; at all'],
    ['nothing', 'exit 3', 'netplugin failed with no error message: exit status 3'],
    ['errors', 'echo oops >&2; exit 1', 'netplugin failed: "oops\\n"'],
    ['other text', 'echo oops; exit 1', 'netplugin failed but error parsing its diagnostic message "oops\\n": '],
  ])('says in the words of libcni that a plug-in failed that printed %s', async (_, script, message) => {
    await answer('two', 'ADD', script);
    await expect(network.setUp(pod)).rejects.toThrow(`plugin type="two" failed (add): ${message}`);
    // What was made by the first plug-in is taken away.
    await network.tearDown(pod);
    expect(await calls()).toEqual(['ADD one', 'ADD two', 'DEL two', 'DEL one']);
    expect(await input('one', 'DEL')).not.toHaveProperty('prevResult');
    expect(await records()).toEqual([]);
  });

  it('keeps the record of a pod that could not be detached, and tries again', async () => {
    await network.setUp(pod);
    await answer('one', 'DEL', 'exit 1');
    await expect(network.tearDown(pod)).rejects.toThrow('plugin type="one" failed (delete)');
    await rm(join(bin, 'one.DEL'));
    await start().tearDown(pod);
    expect(await records()).toEqual([]);
  });

  it('finds a pod whose set-up was interrupted by the end of the process', async () => {
    await answer('one', 'ADD', 'echo $$ >"$dir/pid"; exec sleep 1000');
    const abort = new AbortController();
    const setUp = network.setUp(pod, abort.signal).catch(() => 'ended');
    while (!existsSync(join(bin, 'pid'))) await network.problem();
    // The record is there while the plug-in runs, without a result.
    const record: unknown = JSON.parse(
      await readFile(join(directory, 'state', 'attachments', 'sandbox1.json'), 'utf8'),
    );
    expect(record).not.toHaveProperty('result');
    await start().collectGarbage(new Set());
    expect(await calls()).toEqual(['ADD one', 'DEL two', 'DEL one']);
    abort.abort();
    expect(await setUp).toBe('ended');
  });

  it('kills a plug-in that takes too long, or whose call is aborted', async () => {
    await answer('one', 'ADD', 'echo $$ >"$dir/pid"; exec sleep 1000');
    const clock = new FakeClock();
    const slow = start({ clock, pluginTimeoutMs: 5000 });
    const isGone = async (): Promise<void> => {
      const pid = Number(await readFile(join(bin, 'pid'), 'utf8'));
      while (existsSync(`/proc/${pid}/cwd`)) await slow.problem();
      await rm(join(bin, 'pid'));
    };
    const failed = expect(slow.setUp(pod)).rejects.toThrow(
      'plugin type="one" failed (add): netplugin did not end within 5 s',
    );
    while (!existsSync(join(bin, 'pid'))) await slow.problem();
    await clock.advance(5000);
    await failed;
    await isGone();
    const abort = new AbortController();
    const aborted = expect(slow.setUp({ ...pod, id: 'other' }, abort.signal)).rejects.toThrow('enough');
    while (!existsSync(join(bin, 'pid'))) await slow.problem();
    abort.abort(new Error('enough'));
    await aborted;
    await isGone();
  });

  it('detaches with the configuration of the attachment, and without a namespace that is gone', async () => {
    await network.setUp({ ...pod, netns: join(directory, 'gone') });
    await configure({ cniVersion: '1.0.0', name: 'changed', plugins: [{ type: 'three' }] });
    await network.tearDown(pod);
    expect((await log()).slice(2)).toEqual(['DEL two sandbox1  eth0', 'DEL one sandbox1  eth0']);
  });

  it('detaches what belongs to no sandbox, also with a damaged record, and lets plug-ins collect garbage since 1.1', async () => {
    await install('1.1.0');
    await configure(list('1.1.0'));
    for (const id of ['a', 'b', 'c']) await network.setUp({ ...pod, id });
    await writeFile(join(directory, 'state', 'attachments', 'b.json'), '{');
    await rm(join(bin, 'log'));
    await start().collectGarbage(new Set(['a']));
    expect((await log()).map((line) => line.split(' ').slice(0, 3).join(' ').trim())).toEqual([
      'DEL two b',
      'DEL one b',
      'DEL two c',
      'DEL one c',
      'GC one',
      'GC two',
    ]);
    expect(await records()).toEqual(['a.json']);
    expect(await input('two', 'GC')).toMatchObject({
      'cni.dev/valid-attachments': [{ containerID: 'a', ifname: 'eth0' }],
      'cni.dev/attachments': [{ containerID: 'a', ifname: 'eth0' }],
    });
    await configure({ ...list('1.1.0'), disableGC: true });
    await network.collectGarbage(new Set(['a']));
    expect((await log()).length).toBe(6);
  });

  it('checks an attachment with its result', async () => {
    await network.setUp(pod);
    await network.check(pod);
    expect((await calls()).slice(2)).toEqual(['CHECK one', 'CHECK two']);
    expect(await input('one', 'CHECK')).toMatchObject({ prevResult: { x: 'two' } });
    await answer('two', 'CHECK', `echo '{"code":100,"msg":"changed"}'; exit 1`);
    await expect(network.check(pod)).rejects.toThrow('changed');
  });

  it('has no problem if the plug-ins are there and, since 1.1, say so', async () => {
    expect(await network.problem()).toBeUndefined();
    expect(await log()).toEqual(['']);
    await configure(list('1.0.0', [{ type: 'four' }]));
    expect(await network.problem()).toBe(`failed to find plugin "four" in path [${join(directory, 'none')} ${bin}]`);
    await configure(list('1.1.0'));
    expect(await network.problem()).toBeUndefined();
    await answer('two', 'STATUS', `echo '{"code":50,"msg":"no addresses left"}'; exit 1`);
    expect(await network.problem()).toBe('no addresses left');
    await rm(join(directory, 'net.d'), { recursive: true });
    expect(await network.problem()).toBe(
      `no network config found in ${join(directory, 'net.d')}: cni plugin not initialized`,
    );
    await expect(network.setUp(pod)).rejects.toThrow('cni plugin not initialized');
  });

  it('uses the first valid file, a single plug-in, or plug-ins in a folder of the network', async () => {
    await configure({ name: 'broken', plugins: [] }, '00.conflist');
    await configure({ cniVersion: '0.4.0', name: 'single', type: 'three' }, '05.conf');
    await answer('three', 'ADD', `echo '{"cniVersion":"0.4.0","ips":[{"version":"4","address":"10.9.9.9/24"}]}'`);
    expect(await network.setUp(pod)).toEqual({ ips: ['10.9.9.9'] });
    expect(await network.networkName()).toBe('single');
    await network.tearDown(pod);
    await rm(join(directory, 'net.d', '05.conf'));
    await configure({ cniVersion: '1.0.0', name: 'split' }, '06.conflist');
    await mkdir(join(directory, 'net.d', 'split'));
    await configure({ type: 'one' }, 'split/1.conf');
    await network.setUp(pod);
    await network.tearDown(pod);
    await configure({ type: 'two' }, 'split/2.conf');
    await rm(join(bin, 'log'));
    await network.setUp(pod);
    expect(await calls()).toEqual(['ADD one', 'ADD two']);
  });

  it('attaches a sandbox again whose earlier set-up did not end', async () => {
    await answer('two', 'ADD', 'exit 1');
    await expect(network.setUp(pod)).rejects.toThrow();
    await rm(join(bin, 'two.ADD'));
    expect(await network.setUp(pod)).toEqual({ ips: ['10.1.2.3'] });
    expect(await calls()).toEqual(['ADD one', 'ADD two', 'DEL two', 'DEL one', 'ADD one', 'ADD two']);
  });
});
