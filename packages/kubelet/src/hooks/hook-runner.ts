import type { Container, LifecycleHandler, Pod } from '@coxswain/api/core/v1';

/** A postStart or preStop hook of one container. */
export interface Hook {
  readonly kind: 'PostStart' | 'PreStop';
  readonly handler: LifecycleHandler;
  readonly pod: Pod;
  readonly container: Container;
  readonly containerId: string;
}

export interface HookRunner {
  /** Runs a hook to its end. Rejects if it fails or is aborted. */
  run(hook: Hook, signal?: AbortSignal): Promise<void>;
}
