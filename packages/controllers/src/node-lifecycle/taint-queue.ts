import { type Clock, TokenBucketRateLimiter } from '@coxswain/client';

/** The nodes of a zone that are due for a NoExecute taint, with a rate limit. */
export class TaintQueue {
  readonly #clock: Clock;
  /** Undefined when the rate is 0. */
  #limiter: TokenBucketRateLimiter | undefined;
  /** The nodes in order, with the earliest time of the next attempt. */
  readonly #waiting = new Map<string, number>();
  /** The nodes that are waiting or have been processed. They are not added again. */
  readonly #marked = new Set<string>();

  constructor(clock: Clock, nodesPerSecond: number) {
    this.#clock = clock;
    if (nodesPerSecond > 0) this.#limiter = this.#newLimiter(nodesPerSecond);
  }

  /** Whether nodes are waiting and the rate is above 0. */
  get isActive(): boolean {
    return this.#limiter !== undefined && this.#waiting.size > 0;
  }

  /** Adds a node. With `isUntainted` it is added even if it was processed before, because it has no taint yet or lost it. */
  add(nodeName: string, isUntainted: boolean): void {
    if (this.#waiting.has(nodeName) || (this.#marked.has(nodeName) && !isUntainted)) return;
    this.#marked.add(nodeName);
    this.#waiting.set(nodeName, this.#clock.monotonic());
  }

  remove(nodeName: string): void {
    this.#marked.delete(nodeName);
    this.#waiting.delete(nodeName);
  }

  /** Changes the rate. If the old limiter has no token left, the new one starts without a token too. */
  setRate(nodesPerSecond: number): void {
    if ((this.#limiter?.qps ?? 0) === nodesPerSecond) return;
    const mayGo = this.#limiter?.tryAccept() ?? false;
    this.#limiter = nodesPerSecond > 0 ? this.#newLimiter(nodesPerSecond) : undefined;
    if (!mayGo) this.#limiter?.tryAccept();
  }

  /** Processes as many nodes as the rate allows. `taint` returns whether it succeeded; otherwise the node is retried after a delay. */
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
