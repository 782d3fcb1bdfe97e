import type { Pod } from '@coxswain/api/core/v1';
import type { Clock, Logger } from '@coxswain/client';
import type { RuntimeService } from '@coxswain/cri';

/** What sessions need of a kubelet. */
export interface SessionHost {
  readonly runtime: { readonly service: RuntimeService };
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called for each session over a WebSocket that is translated: `exec`, `attach` or `portforward`. */
  onWebSocket?(subresource: string): void;
}

/** The words of a session's path. */
export interface SessionTarget {
  readonly pod: Pod;
  /** Empty for port-forward. */
  readonly container: string;
}
