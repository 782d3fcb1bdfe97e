import { PodSandboxConfig, type PodSandboxMetadata } from '@coxswain/cri';
import type { ProcessIdentity } from './process-identity.ts';
import type { RecordDirectory } from './record-directory.ts';

export type NamespaceModes = {
  readonly network: 'POD' | 'NODE';
  readonly ipc: 'POD' | 'NODE';
  readonly pid: 'POD' | 'CONTAINER' | 'NODE';
};

/** What changes in the life of a sandbox. */
export interface SandboxState {
  /** `making`: what there is of it may be incomplete. `removing`: so may be what is left. */
  readonly phase: 'making' | 'ready' | 'stopped' | 'removing';
  readonly ips: readonly string[];
  /** The process that holds a PID namespace which the containers share. */
  readonly init?: ProcessIdentity;
}

/** A pod's environment: its namespaces, addresses and files. Its record is on disk before anything else of it exists. */
export class Sandbox {
  readonly id: string;
  readonly config: PodSandboxConfig;
  readonly metadata: PodSandboxMetadata;
  readonly runtimeHandler: string;
  /** Nanoseconds since 1970. */
  readonly createdAt: bigint;
  readonly namespaces: NamespaceModes;
  readonly #records: RecordDirectory;
  #state: SandboxState;

  constructor(records: RecordDirectory, made: SandboxDescription, state: SandboxState) {
    this.#records = records;
    this.id = made.id;
    this.config = made.config;
    this.runtimeHandler = made.runtimeHandler;
    this.createdAt = made.createdAt;
    this.metadata = made.config.metadata ?? { name: '', namespace: '', uid: '', attempt: 0 };
    const options = made.config.linux?.securityContext?.namespaceOptions;
    this.namespaces = {
      network: options?.network === 'NODE' ? 'NODE' : 'POD',
      ipc: options?.ipc === 'NODE' ? 'NODE' : 'POD',
      pid: options?.pid === 'NODE' ? 'NODE' : options?.pid === 'CONTAINER' ? 'CONTAINER' : 'POD',
    };
    this.#state = state;
  }

  get state(): SandboxState {
    return this.#state;
  }

  /** Its files that survive a reboot. */
  get directory(): string {
    return this.#records.directoryOf(this.id);
  }

  get isReady(): boolean {
    return this.#state.phase === 'ready';
  }

  /** Unique among the sandboxes of a runtime. */
  get name(): string {
    const { name, namespace, uid, attempt } = this.metadata;
    return [name, namespace, uid, attempt].join('_');
  }

  get cgroupParent(): string {
    return this.config.linux?.cgroupParent ?? '';
  }

  async record(): Promise<void> {
    await this.#records.add(this.id, this.#asRecord());
  }

  /** Changes the state, on disk first. */
  async update(change: Partial<SandboxState>): Promise<void> {
    const next = { ...this.#state, ...change };
    await this.#records.write(this.id, this.#asRecord(next));
    this.#state = next;
  }

  /** Forgets it. */
  async erase(): Promise<void> {
    await this.#records.remove(this.id);
  }

  #asRecord(state = this.#state): object {
    const { id, runtimeHandler, createdAt, config } = this;
    return {
      version: 1,
      id,
      runtimeHandler,
      createdAt: String(createdAt),
      config: PodSandboxConfig.encode(config).toString('base64'),
      state,
    };
  }

  /** Reads a record back; undefined if it is not one of this version. */
  static fromRecord(records: RecordDirectory, record: unknown): Sandbox | undefined {
    if (!isRecord(record)) return undefined;
    const { id, runtimeHandler, createdAt, config, state } = record;
    const decoded = PodSandboxConfig.decode(Buffer.from(config, 'base64'));
    return new Sandbox(records, { id, runtimeHandler, createdAt: BigInt(createdAt), config: decoded }, state);
  }
}

export interface SandboxDescription {
  readonly id: string;
  readonly config: PodSandboxConfig;
  readonly runtimeHandler: string;
  readonly createdAt: bigint;
}

interface SandboxRecord {
  readonly version: 1;
  readonly id: string;
  readonly runtimeHandler: string;
  readonly createdAt: string;
  readonly config: string;
  readonly state: SandboxState;
}

const isRecord = (value: unknown): value is SandboxRecord =>
  typeof value === 'object' && value !== null && 'version' in value && value.version === 1 && 'state' in value;
