import type { ResourceRequirements } from '@coxswain/api/core/v1';
import type { Clock, Timer } from '@coxswain/client';
import type { ContainerConfig, RuntimeContainer, RuntimeContainerState } from '../container-runtime.ts';
import { containerOutcome, type Outcome, type OutputLine } from './command-outcome.ts';
import { type Fate, fateOf } from './fate.ts';

export interface HollowContainerOptions {
  readonly id: string;
  readonly sandboxId: string;
  readonly config: ContainerConfig;
  readonly clock: Clock;
  /** Containers of Jobs succeed after this time, when nothing else is known of them. */
  readonly jobRunForMs: number;
  /** How long it goes on after it was asked to stop, unless it is scripted. */
  readonly stopDelayMs: number;
  readonly onDied: () => void;
}

/** How a container ends. */
interface Ending {
  readonly exitCode: number;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

/** What a container says, and when. */
export interface LogLine {
  readonly atMs: number;
  readonly text: string;
}

const nothingRuns = 'This container is hollow: nothing runs in it.';

const SIGKILLED = 137;
const SIGTERMED = 143;
/** Of a container's logs, what its status may have. */
const mostLogLines = 80;
const mostLogBytes = 2048;

/** A container in which nothing runs: its state moves by the clock, as its fate says, or else as its command would. */
export class HollowContainer implements RuntimeContainer {
  readonly id: string;
  readonly sandboxId: string;
  readonly config: ContainerConfig;
  readonly createdAtMs: number;
  state: RuntimeContainerState = 'Created';
  startedAtMs = 0;
  finishedAtMs = 0;
  exitCode = 0;
  reason = '';
  message = '';
  resources: ResourceRequirements | undefined;
  readonly #options: HollowContainerOptions;
  /** When it ends by itself, or by being asked to. */
  #ending: Timer | undefined;
  readonly #whenEnded: (() => void)[] = [];

  constructor(options: HollowContainerOptions) {
    this.#options = options;
    this.id = options.id;
    this.sandboxId = options.sandboxId;
    this.config = options.config;
    this.createdAtMs = options.clock.now();
    this.resources = options.config.container.resources;
  }

  get name(): string {
    return this.config.container.name;
  }

  get image(): string {
    return this.config.container.image ?? '';
  }

  get imageRef(): string {
    return this.config.imageRef;
  }

  get restartCount(): number {
    return this.config.restartCount;
  }

  get fate(): Fate {
    return fateOf(this.config.pod, this.name);
  }

  snapshot(): RuntimeContainer {
    const { id, sandboxId, name, image, imageRef, restartCount, createdAtMs, startedAtMs, finishedAtMs } = this;
    const { state, exitCode, reason, message, resources } = this;
    return {
      ...{ id, sandboxId, name, image, imageRef, restartCount, createdAtMs, startedAtMs, finishedAtMs },
      ...{ state, exitCode, reason, message, resources },
    };
  }

  start(): void {
    const { clock, jobRunForMs } = this.#options;
    this.state = 'Running';
    this.startedAtMs = clock.now();
    const life = lifeOf(this.config, this.fate, jobRunForMs);
    if (life) this.#ending = clock.setTimeout(() => this.#end(life), life.runForMs);
  }

  /** Resolves when it has ended. */
  stop(gracePeriodMs: number): Promise<void> {
    if (this.state !== 'Running') return Promise.resolve();
    const { stopDelayMs = this.#options.stopDelayMs, stopExitCode = defaultStopExitCode(this.config) } = this.fate;
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
    if (this.state === 'Running') this.#end({ exitCode: SIGKILLED });
  }

  /** Its time stands still. */
  forget(): void {
    this.#ending?.cancel();
    for (const resolve of this.#whenEnded.splice(0)) resolve();
  }

  #end({ exitCode, reason, message }: Ending): void {
    this.#ending?.cancel();
    this.state = 'Exited';
    this.finishedAtMs = this.#options.clock.now();
    this.exitCode = exitCode;
    this.reason = reason ?? (exitCode === 0 ? 'Completed' : 'Error');
    this.message = message ?? (exitCode === 0 ? '' : this.#lastWords());
    this.#options.onDied();
    for (const resolve of this.#whenEnded.splice(0)) resolve();
  }

  /** All that it says in its life, as its pod's annotations have it or else as its command would print it; also what is still to come. */
  logLines(): LogLine[] {
    const { startedAtMs: atMs, finishedAtMs } = this;
    if (atMs === 0) return [];
    const said = this.#scriptedLines() ?? [{ afterMs: 0, text: () => nothingRuns }];
    const lines = said.map(({ afterMs, text }) => ({ atMs: atMs + afterMs, text: text(atMs + afterMs) }));
    return finishedAtMs === 0 ? lines : lines.filter((line) => line.atMs <= finishedAtMs);
  }

  /** Undefined when it is not known. */
  #scriptedLines(): readonly OutputLine[] | undefined {
    const { logs } = this.fate;
    if (logs === undefined) return outcomeOf(this.config)?.output;
    return logs
      .replace(/\n$/, '')
      .split('\n')
      .map((line) => ({ afterMs: 0, text: () => line }));
  }

  /** The end of its logs, where the pod wants them for want of a message. */
  #lastWords(): string {
    if (this.config.container.terminationMessagePolicy !== 'FallbackToLogsOnError' || !this.#scriptedLines()) return '';
    const lines = this.logLines().slice(-mostLogLines);
    if (lines.length === 0) return '';
    return Buffer.from(lines.map(({ text }) => `${text}\n`).join(''))
      .subarray(-mostLogBytes)
      .toString();
  }
}

const outcomeOf = ({ container, command, args, env }: ContainerConfig): Outcome | undefined =>
  containerOutcome({ image: container.image ?? '', command, args, env });

/** How long it runs and how it ends; undefined for one that runs until it is stopped. */
function lifeOf(config: ContainerConfig, fate: Fate, jobRunForMs: number): (Ending & { runForMs: number }) | undefined {
  const { runForMs, exitCode, exitTimes = Number.POSITIVE_INFINITY } = fate;
  const isScripted = (runForMs !== undefined || exitCode !== undefined) && config.restartCount < exitTimes;
  if (isScripted) {
    return { runForMs: runForMs ?? 0, exitCode: exitCode ?? 0, reason: fate.exitReason, message: fate.exitMessage };
  }
  const { pod, container } = config;
  const known = outcomeOf(config);
  if (known) return known.runForMs === Number.POSITIVE_INFINITY ? undefined : known;
  const isOf = (containers: readonly { readonly name: string }[] | undefined): boolean =>
    containers?.some(({ name }) => name === container.name) ?? false;
  if (isOf(pod.spec?.initContainers)) {
    return container.restartPolicy === 'Always' ? undefined : { runForMs: 0, exitCode: 0 };
  }
  const isOfJob = pod.metadata.ownerReferences?.some(({ kind, controller }) => controller && kind === 'Job');
  return isOfJob && isOf(pod.spec?.containers) ? { runForMs: jobRunForMs, exitCode: 0 } : undefined;
}

/** What is meant to run for ever ends well when it is asked to; what is meant to come to an end did not get there. */
const defaultStopExitCode = ({ pod: { spec } }: ContainerConfig): number =>
  (spec?.restartPolicy ?? 'Always') === 'Always' ? 0 : SIGTERMED;
