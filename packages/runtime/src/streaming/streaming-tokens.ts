import { randomBytes } from 'node:crypto';
import type { Clock, Timer } from '@coxswain/apimachinery/clock';
import { RpcError } from '@coxswain/grpc';
import type { StreamingTarget } from './session-backend.ts';

/** As with upstream's runtimes. */
const lifetimeMs = 60_000;
const maxWaiting = 1000;

/** What clients may connect to: each token is good once, for a minute. */
export class StreamingTokens {
  readonly #clock: Clock;
  readonly #waiting = new Map<string, { readonly target: StreamingTarget; readonly timer: Timer }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Throws ResourceExhausted if too many wait for their clients. */
  add(target: StreamingTarget): string {
    if (this.#waiting.size >= maxWaiting)
      throw new RpcError('ResourceExhausted', 'maximum number of in-flight requests exceeded');
    const token = randomBytes(18).toString('base64url');
    const timer = this.#clock.setTimeout(() => this.#waiting.delete(token), lifetimeMs, { background: true });
    this.#waiting.set(token, { target, timer });
    return token;
  }

  /** Undefined if the token is unknown, used, or too old. */
  take(token: string): StreamingTarget | undefined {
    const found = this.#waiting.get(token);
    this.#waiting.delete(token);
    found?.timer.cancel();
    return found?.target;
  }

  clear(): void {
    for (const { timer } of this.#waiting.values()) timer.cancel();
    this.#waiting.clear();
  }
}
