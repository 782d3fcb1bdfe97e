import { appendFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { FakeClock } from '@coxswain/client';
import {
  type Container,
  type ContainerRuntime,
  type ContainerState,
  type Image,
  type ImageSpec,
  type Mount,
  type PodSandbox,
  type PodSandboxState,
  runtimeInProcess,
} from '@coxswain/cri';
import { type RpcCode, RpcError } from '@coxswain/grpc';
import type { Init } from '@coxswain/grpc/protobuf';

/** A container of which the test says how it is. */
export interface ScriptedContainer {
  readonly id: string;
  state: ContainerState;
  logPath: string;
  readonly about?: Init<Container>;
  readonly mounts?: readonly Init<Mount>[];
}

export interface ScriptedSandbox {
  readonly id: string;
  readonly state: PodSandboxState;
  readonly about: Init<PodSandbox>;
}

/** A runtime in which the test makes and changes everything. */
export class ScriptedRuntime {
  readonly clock = new FakeClock(Date.UTC(2026, 0, 2, 3, 4, 5));
  readonly containers = new Map<string, ScriptedContainer>();
  readonly sandboxes = new Map<string, ScriptedSandbox>();
  images: readonly Init<Image>[] = [];
  /** What was changed: `removeContainer c1`. */
  readonly changes: string[] = [];
  /** How often the status of a container was asked for. */
  statusCalls = 0;
  /** Calls that fail, by name. */
  readonly failing = new Map<string, RpcCode>();
  /** Called when a container is to begin a new log. */
  onReopen: (container: ScriptedContainer) => void = ({ logPath }) => appendFileSync(logPath, '');
  onRemoveImage: (image: ImageSpec) => void = () => {};
  mountpoint = '/';
  /** What the runtime tells about itself. */
  info: Readonly<Record<string, string>> = {};
  readonly cri: ContainerRuntime;

  constructor() {
    const known = async (method: string, id: string): Promise<ScriptedContainer> => {
      this.#failIfToldTo(method);
      const container = this.containers.get(id);
      if (!container) throw new RpcError('NotFound', `container "${id}" not found`);
      return container;
    };
    const change = (method: string, id: string): void => {
      this.#failIfToldTo(method);
      this.changes.push(`${method} ${id}`);
    };
    this.cri = runtimeInProcess(
      {
        status: async () => ({ info: this.info }),
        listContainers: async () => {
          this.#failIfToldTo('listContainers');
          return { containers: [...this.containers.values()].map(({ id, state, about }) => ({ ...about, id, state })) };
        },
        containerStatus: async ({ containerId }) => {
          this.statusCalls++;
          const { id, state, logPath, mounts = [] } = await known('containerStatus', containerId);
          return { status: { id, state, logPath, mounts } };
        },
        reopenContainerLog: async ({ containerId }) => {
          this.onReopen(await known('reopenContainerLog', containerId));
          change('reopenContainerLog', containerId);
          return {};
        },
        stopContainer: async ({ containerId, timeout }) => {
          change('stopContainer', `${containerId} ${timeout}`);
          return {};
        },
        removeContainer: async ({ containerId }) => {
          change('removeContainer', containerId);
          this.containers.delete(containerId);
          return {};
        },
        listPodSandbox: async () => ({
          items: [...this.sandboxes.values()].map(({ id, state, about }) => ({ ...about, id, state })),
        }),
        stopPodSandbox: async ({ podSandboxId }) => {
          change('stopPodSandbox', podSandboxId);
          return {};
        },
        removePodSandbox: async ({ podSandboxId }) => {
          change('removePodSandbox', podSandboxId);
          this.sandboxes.delete(podSandboxId);
          return {};
        },
      },
      {
        listImages: async () => ({ images: this.images }),
        removeImage: async ({ image }) => {
          change('removeImage', image?.image ?? '');
          if (image) this.onRemoveImage(image);
          this.images = this.images.filter(({ id }) => id !== image?.image);
          return {};
        },
        imageFsInfo: async () => ({ imageFilesystems: [{ fsId: { mountpoint: this.mountpoint } }] }),
      },
      this.clock,
    );
  }

  /** Adds a container that runs, or that is in another state. */
  container(id: string, options: Partial<ScriptedContainer> = {}): ScriptedContainer {
    const container = { state: 'CONTAINER_RUNNING', logPath: '', ...options, id } as const;
    const added: ScriptedContainer = { ...container };
    this.containers.set(id, added);
    return added;
  }

  #failIfToldTo(method: string): void {
    const code = this.failing.get(method);
    if (code) throw new RpcError(code, `${method} was told to fail`);
  }
}

/** A directory for logs, which goes away with `dispose`. */
export class LogScratch {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'coxswain-logs-')));
  readonly path = join(this.root, 'default_web_uid-1', 'main', '0.log');

  constructor() {
    mkdirSync(dirname(this.path), { recursive: true });
  }

  dispose(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** Returns a line of a log as a runtime writes it. */
export const criLine = (
  text: string,
  { stream = 'stdout', tag = 'F', time = '2026-01-02T03:04:05.123456789Z' } = {},
): string => `${time} ${stream} ${tag} ${text}\n`;
