import type { Clock } from '@coxswain/apimachinery/clock';
import type { Logger } from '@coxswain/apimachinery/log';
import type { Random } from '@coxswain/apimachinery/random';
import type { KeyedTurns } from '@coxswain/apimachinery/turns';
import type { CgroupManager, Commands } from '@coxswain/linux';
import type { ImageStore } from '../images/image-store.ts';
import type { RootFileSystems } from '../images/root-file-systems.ts';
import type { ContainerMonitor, ExitFiles, OciFeatures, OciRuntime } from '../machinery/index.ts';
import type { Container, ContainerEvents, FoundById, RecordDirectory, ReservedNames, Sandbox } from '../model/index.ts';
import type { PinnedNamespaces } from '../namespaces/pinned-namespaces.ts';
import type { PodNetwork } from '../network/pod-network.ts';
import type { NodeFacts } from '../oci/index.ts';
import type { ProcessLauncher } from '../processes/index.ts';

/** What all operations on sandboxes and containers use. */
export interface RuntimeContext {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly commands: Commands;
  readonly cgroups: CgroupManager;
  readonly images: ImageStore;
  readonly rootFileSystems: RootFileSystems;
  readonly network: PodNetwork;
  readonly namespaces: PinnedNamespaces;
  readonly runtime: OciRuntime;
  readonly features: OciFeatures;
  readonly monitor: ContainerMonitor;
  readonly exits: ExitFiles;
  readonly launcher: ProcessLauncher;
  readonly node: NodeFacts;
  readonly paths: RuntimePaths;
  readonly sandboxes: FoundById<Sandbox>;
  readonly sandboxRecords: RecordDirectory;
  readonly sandboxNames: ReservedNames;
  readonly containers: FoundById<Container>;
  readonly containerRecords: RecordDirectory;
  readonly containerNames: ReservedNames;
  readonly events: ContainerEvents;
  /** One operation at a time on a sandbox or container, by its id. */
  readonly turns: KeyedTurns;
}

export interface RuntimePaths {
  /** Survives a reboot. */
  readonly root: string;
  /** Empty after a reboot. */
  readonly state: string;
}

/** 64 hexadecimal digits, as all runtimes have them. */
export const newId = (random: Random): string => Buffer.from(random.bytes(32)).toString('hex');

export const nowOf = (clock: Clock): bigint => BigInt(Math.round(clock.now() * 1_000_000));
