import type { Container, LifecycleHandler, Pod } from '@coxswain/api/core/v1';

/** A postStart or preStop hook of one container. */
export interface Hook {
  readonly kind: 'PostStart' | 'PreStop';
  readonly handler: LifecycleHandler;
  readonly pod: Pod;
  readonly container: Container;
  readonly containerId: string;
  /** Records a warning about the pod as an event. */
  readonly warn: (reason: string, message: string) => void;
}

export interface HookRunner {
  /** Runs a hook to its end. Rejects if it fails or is aborted. */
  run(hook: Hook, signal?: AbortSignal): Promise<void>;
}

/** A hook whose command failed. */
export class HookCommandError extends Error {
  /** What the command wrote; it may be secret. */
  readonly output: string;

  constructor(message: string, output: string) {
    super(message);
    this.name = 'HookCommandError';
    this.output = output;
  }
}
