import { type Clock, TokenBucketRateLimiter } from '@coxswain/client';

/** A zone's nodes that are to get a NoExecute taint, at a limited rate. */
export class TaintQueue {
  readonly #clock: Clock;
  /** Undefined: none at all. */
  #limiter: TokenBucketRateLimiter | undefined;
  /** In their order, with the time before which they are not tried. */
  readonly #waiting = new Map<string, number>();
  /** Those that wait or have been dealt with: they need not be again. */
  readonly #marked = new Set<string>();

  constructor(clock: Clock, nodesPerSecond: number) {
    this.#clock = clock;
    if (nodesPerSecond > 0) this.#limiter = this.#newLimiter(nodesPerSecond);
  }

  /** Whether there is anything to do, now or in a while. */
  get isActive(): boolean {
    return this.#limiter !== undefined && this.#waiting.size > 0;
  }

  /** `isUntainted`: it has no taint yet, or lost it, whatever was done before. */
  add(nodeName: string, isUntainted: boolean): void {
    if (this.#waiting.has(nodeName) || (this.#marked.has(nodeName) && !isUntainted)) return;
    this.#marked.add(nodeName);
    this.#waiting.set(nodeName, this.#clock.monotonic());
  }

  remove(nodeName: string): void {
    this.#marked.delete(nodeName);
    this.#waiting.delete(nodeName);
  }

  /** What is used up of the old rate is so of the new one. */
  setRate(nodesPerSecond: number): void {
    if ((this.#limiter?.qps ?? 0) === nodesPerSecond) return;
    const mayGo = this.#limiter?.tryAccept() ?? false;
    this.#limiter = nodesPerSecond > 0 ? this.#newLimiter(nodesPerSecond) : undefined;
    if (!mayGo) this.#limiter?.tryAccept();
  }

  /** Tries as many as may be now. `taint` says whether it worked; a node for which it did not waits a little. */
  async process(taint: (nodeName: string) => Promise<boolean>, retryDelayMs: number): Promise<void> {
    for (const [nodeName, notBefore] of [...this.#waiting]) {
      if (notBefore > this.#clock.monotonic() || !this.#waiting.has(nodeName)) continue;
      if (!this.#limiter?.tryAccept()) return;
      const isDone = await taint(nodeName);
      if (!this.#waiting.delete(nodeName) || isDone) continue;
      this.#waiting.set(nodeName, this.#clock.monotonic() + retryDelayMs);
    }
  }

  #newLimiter(qps: number): TokenBucketRateLimiter {
    return new TokenBucketRateLimiter({ qps, burst: 1, clock: this.#clock });
  }
}
