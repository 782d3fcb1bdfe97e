/** Something that is put off until it may come, but not for long; by the machine's clock. */
export class ToCome {
  /** Resolves when it is time; never when it was cancelled. */
  readonly time: Promise<void>;
  readonly #timer: NodeJS.Timeout;
  #isTime: () => void = () => {};

  constructor(patienceMs: number) {
    this.time = new Promise((resolve) => {
      this.#isTime = resolve;
    });
    this.#timer = setTimeout(this.#isTime, patienceMs);
  }

  /** It is time when those who wait for something else at this moment have gone on. */
  next(): void {
    clearTimeout(this.#timer);
    setImmediate(this.#isTime);
  }

  cancel(): void {
    clearTimeout(this.#timer);
  }
}
