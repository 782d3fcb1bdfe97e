import type { Clock, Timer } from '@coxswain/client';
import type { ContainerConfig, ContainerState, ContainerStatus, LinuxContainerResources } from '@coxswain/cri';
import type { Init } from '@coxswain/grpc/protobuf';
import { terminationMessagePolicyAnnotation } from '../runtime/labels.ts';
import { containerOutcome, type Outcome, type OutputLine } from './command-outcome.ts';
import { type Fate, fateOf } from './fate.ts';
import { type HollowRole, roleOf } from './hollow-role.ts';

export interface HollowContainerOptions {
  readonly id: string;
  readonly sandboxId: string;
  readonly config: ContainerConfig;
  /** The annotations of the pod, which script the container's behaviour. */
  readonly podAnnotations: Readonly<Record<string, string>>;
  readonly clock: Clock;
  /** Containers of Jobs succeed after this time, unless annotations or the command determine something else. */
  readonly jobRunForMs: number;
  /** How long a container keeps running after the stop signal, unless an annotation sets that. */
  readonly stopDelayMs: number;
  readonly onDied: () => void;
}

/** How a container ends. */
interface Ending {
  readonly exitCode: number;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

/** A line of a container's log and the time at which it is printed. */
export interface LogLine {
  readonly atMs: number;
  readonly text: string;
}

const nothingRuns = 'This container is hollow: nothing runs in it.';

const SIGKILLED = 137;
const SIGTERMED = 143;

/** A container without processes. Its state changes by the clock, as the pod's annotations script it or as its command would behave. */
export class HollowContainer {
  readonly id: string;
  readonly sandboxId: string;
  state: ContainerState = 'CONTAINER_CREATED';
  readonly createdAtMs: number;
  startedAtMs = 0;
  finishedAtMs = 0;
  readonly config: ContainerConfig;
  resources: Init<LinuxContainerResources>;
  #exitCode = 0;
  #reason = '';
  #message = '';
  readonly #options: HollowContainerOptions;
  readonly #role: HollowRole;
  /** The timer that ends the container: by itself, or after the stop signal. */
  #ending: Timer | undefined;
  readonly #whenEnded: (() => void)[] = [];

  constructor(options: HollowContainerOptions) {
    this.#options = options;
    this.id = options.id;
    this.sandboxId = options.sandboxId;
    this.config = options.config;
    this.#role = roleOf(options.config.annotations);
    this.createdAtMs = options.clock.now();
    this.resources = options.config.linux?.resources ?? {};
  }

  get name(): string {
    return this.config.metadata?.name ?? '';
  }

  get image(): string {
    return this.config.image?.userSpecifiedImage ?? '';
  }

  get attempt(): number {
    return this.config.metadata?.attempt ?? 0;
  }

  get fate(): Fate {
    return fateOf(this.#options.podAnnotations, this.name);
  }

  get isRunning(): boolean {
    return this.state === 'CONTAINER_RUNNING';
  }

  status(): Init<ContainerStatus> {
    const { labels, annotations, metadata, image } = this.config;
    return {
      id: this.id,
      metadata,
      state: this.state,
      createdAt: nanoseconds(this.createdAtMs),
      startedAt: nanoseconds(this.startedAtMs),
      finishedAt: nanoseconds(this.finishedAtMs),
      exitCode: this.#exitCode,
      reason: this.#reason,
      message: this.#message,
      image: { image: this.image },
      imageRef: image?.image ?? '',
      labels,
      annotations,
      resources: { linux: this.resources },
    };
  }

  start(): void {
    const { clock } = this.#options;
    this.state = 'CONTAINER_RUNNING';
    this.startedAtMs = clock.now();
    const life = this.#life();
    if (life) this.#ending = clock.setTimeout(() => this.#end(life), life.runForMs);
  }

  /** Sends the stop signal. Resolves when the container has ended. */
  stop(gracePeriodMs: number): Promise<void> {
    if (!this.isRunning) return Promise.resolve();
    const { stopDelayMs = this.#options.stopDelayMs, stopExitCode = this.#defaultStopExitCode } = this.fate;
    const isKilled = stopDelayMs > gracePeriodMs;
    const exitCode = isKilled ? SIGKILLED : stopExitCode;
    const ended = new Promise<void>((resolve) => this.#whenEnded.push(resolve));
    const delayMs = Math.min(stopDelayMs, gracePeriodMs);
    this.#ending?.cancel();
    if (delayMs === 0) this.#end({ exitCode });
    else this.#ending = this.#options.clock.setTimeout(() => this.#end({ exitCode }), delayMs);
    return ended;
  }

  kill(): void {
    if (this.isRunning) this.#end({ exitCode: SIGKILLED });
  }

  /** Cancels the container's timer, so that its state no longer changes. */
  forget(): void {
    this.#ending?.cancel();
    for (const resolve of this.#whenEnded.splice(0)) resolve();
  }

  /**
   * Returns all lines that the container prints from its start to its end, including future ones. They are those of the pod's annotations,
   * or else those that its command would print.
   */
  logLines(): LogLine[] {
    const { startedAtMs: atMs, finishedAtMs } = this;
    if (atMs === 0) return [];
    const printed = this.#scriptedLines() ?? this.#placeholder();
    const lines = printed.map(({ afterMs, text }) => ({ atMs: atMs + afterMs, text: text(atMs + afterMs) }));
    return finishedAtMs === 0 ? lines : lines.filter((line) => line.atMs <= finishedAtMs);
  }

  #end({ exitCode, reason, message }: Ending): void {
    this.#ending?.cancel();
    this.state = 'CONTAINER_EXITED';
    this.finishedAtMs = this.#options.clock.now();
    this.#exitCode = exitCode;
    this.#reason = reason ?? (exitCode === 0 ? 'Completed' : 'Error');
    this.#message = message ?? '';
    this.#options.onDied();
    for (const resolve of this.#whenEnded.splice(0)) resolve();
  }

  /** Returns how and when the container ends by itself. Undefined if it runs until it is stopped. */
  #life(): (Ending & { runForMs: number }) | undefined {
    const { runForMs, exitCode, exitTimes = Number.POSITIVE_INFINITY, exitReason, exitMessage } = this.fate;
    if ((runForMs !== undefined || exitCode !== undefined) && this.attempt < exitTimes) {
      return { runForMs: runForMs ?? 0, exitCode: exitCode ?? 0, reason: exitReason, message: exitMessage };
    }
    const known = this.#outcome();
    if (known) return known.runForMs === Number.POSITIVE_INFINITY ? undefined : known;
    const { kind, isOfJob } = this.#role;
    if (kind === 'init') return { runForMs: 0, exitCode: 0 };
    return isOfJob && kind === 'main' ? { runForMs: this.#options.jobRunForMs, exitCode: 0 } : undefined;
  }

  /** The exit code of a stopped container: 0 if it is meant to run forever, 143 (SIGTERM) if it is meant to finish. */
  get #defaultStopExitCode(): number {
    return this.#role.restartsAlways ? 0 : SIGTERMED;
  }

  #outcome(): Outcome | undefined {
    const { command, args, envs } = this.config;
    const env = new Map(envs.map(({ key, value }) => [key, Buffer.from(value).toString()]));
    return containerOutcome({ image: this.image, command, args, env });
  }

  /** Returns the container's output. Undefined if it is unknown. */
  #scriptedLines(): readonly OutputLine[] | undefined {
    const { logs } = this.fate;
    if (logs === undefined) return this.#outcome()?.output;
    return logs
      .replace(/\n$/, '')
      .split('\n')
      .map((line) => ({ afterMs: 0, text: () => line }));
  }

  /** Returns a line that explains the empty log to users. Returns none if the log becomes the termination message of a failed container. */
  #placeholder(): readonly OutputLine[] {
    const isMessage =
      this.state === 'CONTAINER_EXITED' &&
      this.config.annotations[terminationMessagePolicyAnnotation] === 'FallbackToLogsOnError';
    return isMessage ? [] : [{ afterMs: 0, text: () => nothingRuns }];
  }
}

const nanoseconds = (ms: number): bigint => BigInt(Math.round(ms * 1000)) * 1000n;
