const maxRetryAfterSeconds = 32;

/**
 * Computes the Retry-After of rejected requests. It doubles when three or more requests per second were rejected, up to 32
 * seconds, and decreases by a second when fewer than one per second was. It considers rejections of the last
 * `retryAfterSeconds` seconds.
 */
export class DroppedRequests {
  #history: { readonly second: number; readonly count: number }[] = [];
  #second = 0;
  #count = 0;
  #raisedAt = 0;
  retryAfterSeconds = 1;

  /** Records a rejected request. `second` is the Unix time in whole seconds. */
  record(second: number): void {
    if (second === this.#second) {
      this.#count++;
      return;
    }
    this.#remember();
    this.#second = second;
    this.#count = 1;
    this.#adjust(second);
  }

  #remember(): void {
    const longest = Math.min(2 * this.retryAfterSeconds, maxRetryAfterSeconds);
    this.#history.push({ second: this.#second, count: this.#count });
    this.#history = this.#history.filter(({ second }) => this.#second - second <= longest);
  }

  #adjust(now: number): void {
    const seconds = this.retryAfterSeconds;
    let dropped = 0;
    for (const { second, count } of this.#history) if (now - second <= seconds && second < now) dropped += count;
    if (now - this.#raisedAt >= seconds && dropped >= 3 * seconds) {
      this.retryAfterSeconds = Math.min(2 * seconds, maxRetryAfterSeconds);
      this.#raisedAt = now;
    } else if (dropped < seconds && seconds > 1) {
      this.retryAfterSeconds = seconds - 1;
    }
  }
}
