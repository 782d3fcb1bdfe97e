import { setMaxListeners } from 'node:events';
import { type ClientSet, untilAborted, type WaitOptions } from '@coxswain/client';
import type { Component, ComponentContext, ComponentPhase, ComponentStatus, RunningComponent } from './component.ts';

export interface ComponentRunnerOptions {
  /** All others start after the first one. Each must be listed behind the ones in its `after`. */
  readonly components: readonly Component[];
  contextOf(component: Component, signal: AbortSignal): ComponentContext;
  /** Called for every failure, at a start or later. */
  readonly onFailed: (component: string, error: unknown) => void;
}

/** One run of a component, from its start to its end. */
interface Run {
  readonly stopping: AbortController;
  phase: ComponentPhase;
  running?: RunningComponent;
  error?: unknown;
  /** Resolves when it has started or failed to start. Never rejects. */
  started: Promise<void>;
  /** Resolves when it has ended or failed. Never rejects. */
  ended: Promise<void>;
}

/** Starts components in their order and stops them in the reverse order, single ones or all, and reports their status. */
export class ComponentRunner {
  readonly #options: ComponentRunnerOptions;
  readonly #components: ReadonlyMap<string, Component>;
  /** The newest run of each component that was started and not stopped since, by name. */
  readonly #runs = new Map<string, Run>();

  /** Throws when two components have the same name, or one is listed before a component in its `after`. */
  constructor(options: ComponentRunnerOptions) {
    const components = new Map<string, Component>();
    for (const component of options.components) {
      const { name, after = [] } = component;
      if (components.has(name)) throw new Error(`two components are called ${name}`);
      const later = after.find(
        (other) => !components.has(other) && options.components.some((each) => each.name === other),
      );
      if (later !== undefined)
        throw new Error(`the component ${name} is listed before ${later}, which it must start after`);
      components.set(name, component);
    }
    this.#options = options;
    this.#components = components;
  }

  get names(): string[] {
    return [...this.#components.keys()];
  }

  /** Returns the names in the order of the list. Throws when there is no component of a name. */
  inOrder(names: readonly string[]): string[] {
    for (const name of names) this.#find(name);
    return this.names.filter((name) => names.includes(name));
  }

  isRunning(name: string): boolean {
    const run = this.#runs.get(name);
    return run !== undefined && run.phase !== 'ended' && run.phase !== 'failed';
  }

  /** True when all components have finished starting, and have no work left. */
  get isIdle(): boolean {
    return [...this.#runs.values()].every(({ phase, running }) =>
      phase === 'running' ? running?.isIdle !== false : phase === 'ended' || phase === 'failed',
    );
  }

  /**
   * Starts a component. Does nothing when it runs already. Starts a component again that failed or ended. Throws when there is no such
   * component.
   */
  start(name: string): void {
    const component = this.#find(name);
    if (this.isRunning(name)) return;
    const stopping = new AbortController();
    setMaxListeners(0, stopping.signal);
    const run: Run = { stopping, phase: 'waiting', started: Promise.resolve(), ended: Promise.resolve() };
    const earlier = this.#before(component).flatMap((other) => this.#runs.get(other) ?? []);
    this.#runs.set(name, run);
    run.started = this.#start(component, run, earlier);
    run.ended = this.#untilEnded(component, run);
  }

  /** Resolves when the component has started. Rejects when it failed to start. */
  async whenStarted(name: string): Promise<void> {
    const run = this.#runs.get(name);
    await run?.started;
    if (run?.phase === 'failed') throw run.error;
  }

  /** Stops a component, like the end of its process: its state in memory is lost, its work is cancelled. */
  async stop(name: string): Promise<void> {
    const run = this.#runs.get(name);
    if (!run) return;
    run.stopping.abort();
    await run.ended;
    if (this.#runs.get(name) === run) this.#runs.delete(name);
  }

  /** Stops all components that start after the named one, the last one first. */
  async stopAfter(name: string): Promise<void> {
    const stopped = new Map<string, Promise<void>>();
    const stop = (each: Component): Promise<void> => {
      const stopping = stopped.get(each.name) ?? stopAllAfter(each.name).then(() => this.stop(each.name));
      stopped.set(each.name, stopping);
      return stopping;
    };
    const stopAllAfter = async (first: string): Promise<void> => {
      const later = [...this.#components.values()].filter((component) => this.#before(component).includes(first));
      await Promise.all(later.map(stop));
    };
    await stopAllAfter(name);
  }

  /** Resolves when all started components are ready. Rejects when one of them has failed, or fails before. */
  async whenReady(clients: ClientSet, options: WaitOptions): Promise<void> {
    for (const run of [...this.#runs.values()]) await untilReady(run, clients, options);
  }

  async status(): Promise<ComponentStatus[]> {
    return Promise.all(this.names.map((name) => statusOf(name, this.#runs.get(name))));
  }

  #find(name: string): Component {
    const component = this.#components.get(name);
    if (!component) throw new Error(`there is no component ${name}, only ${this.names.join(', ')}`);
    return component;
  }

  /** Returns the names of the components that must start before this one. */
  #before({ name, after = [] }: Component): string[] {
    const [first = ''] = this.#components.keys();
    return name === first ? [] : [first, ...after];
  }

  /** When nothing has to be waited for, `component.start` is called synchronously. */
  async #start(component: Component, run: Run, earlier: readonly Run[]): Promise<void> {
    const { signal } = run.stopping;
    try {
      const open = earlier.filter(({ phase }) => phase === 'waiting' || phase === 'starting');
      if (open.length > 0) await untilAborted(Promise.all(open.map(({ started }) => started)), signal);
      run.phase = 'starting';
      const running = component.start(this.#options.contextOf(component, signal));
      run.running = running instanceof Promise ? await running : running;
      run.phase = 'running';
    } catch (error) {
      this.#fail(component, run, error);
    }
  }

  async #untilEnded(component: Component, run: Run): Promise<void> {
    // Without an await when it has started synchronously, so that it counts as running when `start` returns.
    if (!run.running) await run.started;
    try {
      await run.running?.ended;
      if (run.phase === 'running') run.phase = 'ended';
    } catch (error) {
      this.#fail(component, run, error);
    }
  }

  #fail({ name }: Component, run: Run, error: unknown): void {
    if (run.stopping.signal.aborted) {
      run.phase = 'ended';
      return;
    }
    run.phase = 'failed';
    run.error = error;
    this.#options.onFailed(name, error);
  }
}

async function untilReady(run: Run, clients: ClientSet, { signal, ...options }: WaitOptions): Promise<void> {
  const over = new AbortController();
  const both = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
  try {
    await untilAborted(run.started, both);
    if (run.phase !== 'failed') {
      const failed = run.ended.then(() => throwFailure(run));
      await Promise.race([run.running?.ready?.(clients, { ...options, signal: both }), failed]);
    }
    throwFailure(run);
  } finally {
    over.abort();
  }
}

/** Throws the run's error if it has failed. */
function throwFailure({ phase, error }: Run): void {
  if (phase === 'failed') throw error;
}

async function statusOf(name: string, run: Run | undefined): Promise<ComponentStatus> {
  const phase = run?.phase ?? 'stopped';
  if (phase === 'failed') return { name, phase, problem: messageOf(run?.error) };
  try {
    await run?.running?.check?.();
    return { name, phase };
  } catch (error) {
    return { name, phase, problem: messageOf(error) };
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
