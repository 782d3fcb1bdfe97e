import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import * as nodeFiles from 'node:fs/promises';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type {
  ConfigMap,
  Container,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  Secret,
  Volume,
} from '@coxswain/api/core/v1';
import { recordLogs } from '@coxswain/apimachinery/log';
import { FakeClock } from '@coxswain/client';
import { HelperCommands, readMountInfo } from '@coxswain/linux';
import type { FileSystem } from '../files/file-system.ts';
import { linuxVolumeHost } from '../files/linux-volume-host.ts';
import type { VolumeHost } from '../files/volume-host.ts';
import { VolumeManager } from '../volume-manager.ts';

/** Whether this process may mount. */
export const canMount = process.platform === 'linux' && process.getuid?.() === 0 && existsSync('/proc/self/mountinfo');

const run = promisify(execFile);

/** A kubelet's directory on a mount of its own, with the API objects that volumes are made of. */
export class ScratchNode {
  readonly directory: string;
  readonly clock = new FakeClock(Date.parse('2026-02-01T15:04:05Z'));
  readonly logs = recordLogs();
  readonly configMaps = new Map<string, ConfigMap>();
  readonly secrets = new Map<string, Secret>();
  readonly claims = new Map<string, PersistentVolumeClaim>();
  readonly volumes = new Map<string, PersistentVolume>();
  readonly problems: string[] = [];
  tokensIssued = 0;
  supportsRecursiveReadOnly = true;
  readonly host: VolumeHost;
  readonly #commands = new HelperCommands();
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;

  private constructor(directory: string) {
    this.directory = directory;
    this.host = linuxVolumeHost(this.#commands);
  }

  static async start(): Promise<ScratchNode> {
    const directory = await mkdtemp(join(tmpdir(), 'coxswain-volumes-'));
    await run('mount', ['-t', 'tmpfs', '-o', 'size=32m,mode=0755', 'scratch', directory]);
    await run('mount', ['--make-private', directory]);
    return new ScratchNode(directory);
  }

  /** Ends what runs, too: it must not make anything again. */
  async remove(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    for (const path of (await this.mountPoints()).toReversed()) await run('umount', ['-l', path]);
    await run('umount', ['-l', this.directory]);
    await rm(this.directory, { recursive: true });
    this.#commands.close();
  }

  /** What is mounted below the directory. */
  async mountPoints(): Promise<string[]> {
    const mounts = await readMountInfo();
    return mounts.map(({ mountPoint }) => mountPoint).filter((path) => path.startsWith(`${this.directory}/`));
  }

  /** A manager as a newly started kubelet has it. */
  manager(parts: { readonly files?: FileSystem; readonly host?: VolumeHost } = {}): VolumeManager {
    const { files = nodeFiles, host = this.host } = parts;
    return new VolumeManager({
      rootDirectory: join(this.directory, 'kubelet'),
      host,
      files,
      config: {
        configMap: async (_, name) => this.configMaps.get(name),
        secret: async (_, name) => this.secrets.get(name),
        claim: async (_, name) => this.claims.get(name),
        runtimeClass: async () => undefined,
      },
      api: {
        persistentVolume: async (name) => this.volumes.get(name),
        requestToken: async (_, __, spec) => ({
          spec: { expirationSeconds: 3600, ...spec },
          status: {
            token: `token-${++this.tokensIssued}`,
            expirationTimestamp: new Date(this.clock.now() + 3_600_000).toISOString(),
          },
        }),
        trustBundles: async () => undefined,
      },
      clock: this.clock,
      random: { number: () => 0 },
      logger: this.logs.logger,
      node: () => ({ metadata: { name: 'n1' }, status: { allocatable: { memory: '8Mi', cpu: '2' } } }),
      supportsRecursiveReadOnly: async () => this.supportsRecursiveReadOnly,
      onProblem: (_, message) => this.problems.push(message),
    });
  }

  /** Lets a manager refresh volumes until the node is removed. */
  run(manager: VolumeManager): void {
    this.#running = manager.run(this.signal);
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  podDirectory(uid = 'uid-1'): string {
    return join(this.directory, 'kubelet', 'pods', uid);
  }
}

/** A pod with one container that has each volume at `/<its name>`. */
export function podWith(volumes: readonly Volume[], spec: Partial<NonNullable<Pod['spec']>> = {}): Pod {
  const container: Container = {
    name: 'main',
    image: 'busybox',
    volumeMounts: volumes.map(({ name }) => ({ name, mountPath: `/${name}` })),
  };
  return {
    metadata: { name: 'p', namespace: 'ns', uid: 'uid-1', labels: { app: 'a' } },
    spec: { containers: [container], volumes: [...volumes], serviceAccountName: 'default', ...spec },
  };
}
