/** The weight of the previous smoothed demand in each period: a peak decays to half in five minutes. */
const smoothing = 0.977;

/** Statistics of the demand for seats of a priority level (seats in use and waited for) in a borrowing period. */
export class SeatDemand {
  #value = 0;
  #since: number;
  #elapsed = 0;
  #sum = 0;
  #squares = 0;
  #max = 0;
  average = 0;
  deviation = 0;
  highWatermark = 0;
  /** Rises at once and falls slowly. */
  smoothed = 0;

  constructor(now: number) {
    this.#since = now;
  }

  set(value: number, now: number): void {
    this.#advance(now);
    this.#value = value;
    if (value > this.#max) this.#max = value;
  }

  /** Ends a period: computes `average`, `deviation`, `highWatermark` and `smoothed` of it. */
  endPeriod(now: number): void {
    this.#advance(now);
    this.highWatermark = Math.round(this.#max);
    if (this.#elapsed > 0) {
      this.average = this.#sum / this.#elapsed;
      const variance = this.#squares / this.#elapsed - this.average * this.average;
      this.deviation = variance > 0 ? Math.sqrt(variance) : 0;
      const envelope = this.average + this.deviation;
      this.smoothed = Math.max(envelope, smoothing * this.smoothed + (1 - smoothing) * envelope);
    }
    this.#elapsed = 0;
    this.#sum = 0;
    this.#squares = 0;
    this.#max = this.#value;
  }

  #advance(now: number): void {
    const seconds = (now - this.#since) / 1000;
    this.#since = now;
    this.#elapsed += seconds;
    this.#sum += this.#value * seconds;
    this.#squares += this.#value * this.#value * seconds;
  }
}
