import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { connectRuntime } from '../services.ts';
import { containerdProgram, pluginDirectory } from './containerd-problem.ts';
import { type OciImage, ociArchive } from './oci-image.ts';

const run = promisify(execFile);

export interface ContainerdOptions {
  /** A directory for its files, which nothing else uses. */
  readonly directory: string;
  /** Addresses of pods, such as `10.213.7.0/24`. Two containerds on a machine must not have the same. */
  readonly podCIDR: string;
  /** In addition to busybox. */
  readonly images?: readonly OciImage[];
  /** The program; by default what the variable CONTAINERD names, or `containerd` of the PATH. */
  readonly program?: string;
}

/** A containerd process with its own directory and network. */
export interface Containerd {
  readonly endpoint: string;
  /** Kills the daemon and starts it again. Containers keep running. */
  restart(): Promise<void>;
  /** Kills the daemon. */
  kill(): Promise<void>;
  /** Stops the daemon from answering, until `resume` is called. Connections stay open. */
  pause(): void;
  resume(): void;
  /** Stops and removes all pods. */
  removePods(): Promise<void>;
  /** Removes all pods, stops the daemon, and removes its mounts, its network bridge and its directory. */
  close(): Promise<void>;
}

/** The name of an image with busybox and a shell that every `startContainerd` has. */
export const busyboxImage = 'registry.example/busybox:1';
const pauseImage = 'registry.example/pause:1';

/** Starts a containerd with images of its own and no access to any registry. Rejects if it does not become ready. */
export async function startContainerd(options: ContainerdOptions): Promise<Containerd> {
  const { directory, podCIDR, images = [], program = containerdProgram() } = options;
  const endpoint = `unix://${directory}/containerd.sock`;
  const bridge = `cox${createHash('sha256').update(directory).digest('hex').slice(0, 8)}`;
  await mkdir(join(directory, 'cni'), { recursive: true });
  await writeFile(join(directory, 'config.toml'), configuration(directory));
  await writeFile(join(directory, 'cni', '10-bridge.conflist'), network(directory, bridge, podCIDR));
  let daemon = await startDaemon(program, directory, endpoint);
  const containerd: Containerd = {
    endpoint,
    kill: () => daemon.kill(),
    pause: () => daemon.signal('SIGSTOP'),
    resume: () => daemon.signal('SIGCONT'),
    removePods: () => removePods(endpoint),
    async restart() {
      await daemon.kill();
      daemon = await startDaemon(program, directory, endpoint);
    },
    async close() {
      await removePods(endpoint).catch(() => {});
      await daemon.kill();
      await killProcessesOf(directory);
      await unmountBelow(directory);
      await run('ip', ['link', 'delete', bridge]).catch(() => {});
      await rm(directory, { recursive: true, force: true });
    },
  };
  try {
    const busybox = await busyboxFiles();
    const pause = { name: pauseImage, files: busybox, command: ['/bin/sleep', '2147483647'] };
    for (const image of [pause, { name: busyboxImage, files: busybox, command: ['/bin/sh'] }, ...images]) {
      const archive = join(directory, 'image.tar');
      await writeFile(archive, ociArchive(image));
      await run(await ctrOf(program), [
        '-a',
        `${directory}/containerd.sock`,
        '-n',
        'k8s.io',
        'images',
        'import',
        archive,
      ]);
    }
  } catch (error) {
    await containerd.close();
    throw error;
  }
  return containerd;
}

/** Returns the `ctr` beside the program, or that of the PATH. */
async function ctrOf(program: string): Promise<string> {
  const beside = join(dirname(program), 'ctr');
  const isThere =
    program.includes('/') &&
    (await access(beside).then(
      () => true,
      () => false,
    ));
  return isThere ? beside : 'ctr';
}

/** The files of an image in which every command of busybox can be run. */
export async function busyboxFiles() {
  const { stdout } = await run('/bin/busybox', ['--list']);
  const applets = stdout.split('\n').filter((name) => name !== '' && name !== 'busybox');
  return [
    ...['bin/', 'tmp/', 'etc/', 'proc/', 'dev/', 'sys/', 'root/'].map((path) => ({ path })),
    { path: 'bin/busybox', mode: 0o755, content: await readFile('/bin/busybox') },
    ...applets.map((name) => ({ path: `bin/${name}`, linkTo: 'busybox' })),
    { path: 'etc/passwd', content: Buffer.from('root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n') },
    { path: 'etc/group', content: Buffer.from('root:x:0:\nnogroup:x:65534:\n') },
  ];
}

const configuration = (directory: string): string => `version = 2
root = "${directory}/root"
state = "${directory}/state"
oom_score = 0
[grpc]
  address = "${directory}/containerd.sock"
[ttrpc]
  address = "${directory}/containerd.sock.ttrpc"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${pauseImage}"
  restrict_oom_score_adj = true
  netns_mounts_under_state_dir = true
  enable_unprivileged_ports = true
  enable_unprivileged_icmp = true
  stream_server_address = "127.0.0.1"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "${pluginDirectory}"
    conf_dir = "${directory}/cni"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
[plugins."io.containerd.internal.v1.opt"]
  path = "${directory}/opt"
`;

const network = (directory: string, bridge: string, subnet: string): string =>
  JSON.stringify({
    cniVersion: '0.4.0',
    name: 'pods',
    plugins: [
      {
        type: 'bridge',
        bridge,
        isGateway: true,
        hairpinMode: true,
        ipMasq: false,
        ipam: {
          type: 'host-local',
          ranges: [[{ subnet }]],
          routes: [{ dst: '0.0.0.0/0' }],
          dataDir: join(directory, 'addresses'),
        },
      },
    ],
  });

interface Daemon {
  signal(signal: NodeJS.Signals): void;
  kill(): Promise<void>;
}

async function startDaemon(program: string, directory: string, endpoint: string): Promise<Daemon> {
  const log = join(directory, 'containerd.log');
  const file = await open(log, 'a');
  const child = spawn(program, ['--config', join(directory, 'config.toml')], {
    stdio: ['ignore', file.fd, file.fd],
    detached: true,
  });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  let hasEnded = false;
  void ended.then(() => {
    hasEnded = true;
  });
  await file.close();
  for (let tries = 0; ; tries++) {
    const isReady = await answers(endpoint);
    if (isReady) break;
    if (hasEnded || tries > 600) {
      child.kill('SIGKILL');
      throw new Error(`containerd did not start: ${(await readFile(log, 'utf8')).slice(-2000)}`);
    }
    await delay(50);
  }
  return {
    signal: (signal) => child.kill(signal),
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

async function answers(endpoint: string): Promise<boolean> {
  const runtime = await connectRuntime(endpoint);
  try {
    const { status } = await runtime.runtime.status({}, { timeoutMs: 1000 });
    const isTrue = (type: string) => status?.conditions.some((each) => each.type === type && each.status);
    return isTrue('RuntimeReady') === true && isTrue('NetworkReady') === true;
  } catch {
    return false;
  } finally {
    runtime.close();
  }
}

async function removePods(endpoint: string): Promise<void> {
  const { runtime, close } = await connectRuntime(endpoint);
  const options = { timeoutMs: 20_000 };
  try {
    const { items } = await runtime.listPodSandbox({}, options);
    await Promise.all(
      items.map(async ({ id: podSandboxId }) => {
        await runtime.stopPodSandbox({ podSandboxId }, options);
        await runtime.removePodSandbox({ podSandboxId }, options);
      }),
    );
  } finally {
    close();
  }
}

/** Kills the shims, which outlive their daemon, and the processes they run. Their arguments name the daemon's socket. */
async function killProcessesOf(directory: string): Promise<void> {
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) continue;
    const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (!words.includes('containerd-shim') || !words.includes(directory)) continue;
    const { stdout } = await run('ps', ['-o', 'pid=', '--ppid', pid]).catch(() => ({ stdout: '' }));
    for (const victim of [...stdout.trim().split(/\s+/), pid]) {
      if (victim !== '') kill(Number(victim));
    }
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has already ended.
  }
}

/** Unmounts everything below a directory, the innermost first. */
async function unmountBelow(directory: string): Promise<void> {
  const lines = (await readFile('/proc/self/mountinfo', 'utf8')).split('\n');
  const mounts = lines.map((line) => line.split(' ')[4] ?? '').filter((path) => path.startsWith(`${directory}/`));
  for (const path of mounts.reverse()) await run('umount', ['-l', path]).catch(() => {});
}
