import { ContainerConfig, type ContainerMetadata, LinuxContainerResources } from '@coxswain/cri';
import type { ProcessIdentity } from './process-identity.ts';
import type { RecordDirectory } from './record-directory.ts';

/** What changes in the life of a container. Times are nanoseconds since 1970; zero for not yet. */
export interface ContainerState {
  /** `making`: what there is of it may be incomplete. `removing`: so may be what is left. */
  readonly phase: 'making' | 'created' | 'running' | 'exited' | 'removing';
  readonly startedAt: bigint;
  readonly finishedAt: bigint;
  readonly exitCode: number;
  readonly reason: string;
  readonly message: string;
  /** The container's first process. */
  readonly process?: ProcessIdentity;
  readonly user?: { readonly uid: number; readonly gid: number; readonly supplementalGroups: readonly number[] };
  /** Whether runc knows it, and a cgroup exists. */
  readonly isInRunc: boolean;
}

export const newContainerState: ContainerState = {
  phase: 'making',
  startedAt: 0n,
  finishedAt: 0n,
  exitCode: 0,
  reason: '',
  message: '',
  isInRunc: false,
};

export interface ContainerDescription {
  readonly id: string;
  readonly sandboxId: string;
  /** Unique among the containers of a runtime. */
  readonly name: string;
  readonly config: ContainerConfig;
  readonly imageId: string;
  /** A digest of a repository if the image has one, else its id. */
  readonly imageRef: string;
  readonly stopSignal: string;
  readonly logPath: string;
  readonly createdAt: bigint;
  /** Whether it has a PID namespace of its own, so that its processes end with the first one. */
  readonly hasOwnPids: boolean;
}

/** A container. Its record is on disk before anything else of it exists. */
export class Container {
  readonly description: ContainerDescription;
  readonly metadata: ContainerMetadata;
  readonly #records: RecordDirectory;
  #state: ContainerState;
  #resources: LinuxContainerResources | undefined;
  /** Called once each when the container has ended. */
  readonly #onExit = new Set<() => void>();
  /** Resolves when runc has forgotten the container that has ended. */
  released: Promise<void> = Promise.resolve();

  constructor(
    records: RecordDirectory,
    description: ContainerDescription,
    state: ContainerState,
    resources?: LinuxContainerResources | undefined,
  ) {
    this.#records = records;
    this.description = description;
    this.metadata = description.config.metadata ?? { name: '', attempt: 0 };
    this.#state = state;
    this.#resources = resources ?? description.config.linux?.resources;
  }

  get id(): string {
    return this.description.id;
  }

  get config(): ContainerConfig {
    return this.description.config;
  }

  get state(): ContainerState {
    return this.#state;
  }

  /** The limits that it has now. */
  get resources(): LinuxContainerResources | undefined {
    return this.#resources;
  }

  /** Its files that survive a reboot. */
  get directory(): string {
    return this.#records.directoryOf(this.id);
  }

  get isRunning(): boolean {
    return this.#state.phase === 'running';
  }

  async record(): Promise<void> {
    await this.#records.add(this.id, this.#asRecord(this.#state, this.#resources));
  }

  /** Changes the state, on disk first. */
  async update(change: Partial<ContainerState>): Promise<void> {
    const next = { ...this.#state, ...change };
    await this.#records.write(this.id, this.#asRecord(next, this.#resources));
    const hasEnded = this.isRunning && next.phase !== 'running';
    this.#state = next;
    if (hasEnded) for (const call of [...this.#onExit]) call();
  }

  async updateResources(resources: LinuxContainerResources): Promise<void> {
    await this.#records.write(this.id, this.#asRecord(this.#state, resources));
    this.#resources = resources;
  }

  /** Calls back when a running container ends. Returns a function that unregisters the callback. */
  onExit(callback: () => void): () => void {
    this.#onExit.add(callback);
    return () => this.#onExit.delete(callback);
  }

  /** Forgets it. */
  async erase(): Promise<void> {
    await this.#records.remove(this.id);
  }

  #asRecord(state: ContainerState, resources: LinuxContainerResources | undefined): object {
    const { config, createdAt, ...description } = this.description;
    return {
      version: 1,
      ...description,
      createdAt: String(createdAt),
      config: ContainerConfig.encode(config).toString('base64'),
      ...(resources && { resources: LinuxContainerResources.encode(resources).toString('base64') }),
      state: { ...state, startedAt: String(state.startedAt), finishedAt: String(state.finishedAt) },
    };
  }

  /** Reads a record back; undefined if it is not one of this version. */
  static fromRecord(records: RecordDirectory, record: unknown): Container | undefined {
    if (!isRecord(record)) return undefined;
    const { config, createdAt, resources, state, version: _, ...rest } = record;
    return new Container(
      records,
      { ...rest, config: ContainerConfig.decode(Buffer.from(config, 'base64')), createdAt: BigInt(createdAt) },
      { ...state, startedAt: BigInt(state.startedAt), finishedAt: BigInt(state.finishedAt) },
      resources === undefined ? undefined : LinuxContainerResources.decode(Buffer.from(resources, 'base64')),
    );
  }
}

type ContainerRecord = Omit<ContainerDescription, 'config' | 'createdAt'> & {
  readonly version: 1;
  readonly config: string;
  readonly createdAt: string;
  readonly resources?: string;
  readonly state: Omit<ContainerState, 'startedAt' | 'finishedAt'> & {
    readonly startedAt: string;
    readonly finishedAt: string;
  };
};

const isRecord = (value: unknown): value is ContainerRecord =>
  typeof value === 'object' && value !== null && 'version' in value && value.version === 1 && 'state' in value;
