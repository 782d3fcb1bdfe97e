import { type Clock, systemClock } from '@coxswain/apimachinery/clock';

/** Longer than watch events normally take to arrive. After that the controller acts on its cache again. */
const expectationsTimeoutMs = 5 * 60_000;

/**
 * Number of creations and deletions that a controller has not observed yet. Negative when it observed more than
 * expected.
 */
export interface ControlleeExpectations {
  readonly creations: number;
  readonly deletions: number;
}

interface ExpectationRecord {
  creations: number;
  deletions: number;
  readonly setAt: number;
}

/**
 * Tracks the creations and deletions that a controller has made and not yet observed by its watch. A controller that
 * creates three pods expects three creations and does not act again before it has observed them, because its cache
 * would still lack the pods.
 *
 * Events may be missed, for example by a controller that was just started, so expectations expire after five minutes.
 * Holds one small record per controller key (mostly the key of the owning object) until `deleteExpectations`.
 */
export class ControllerExpectations {
  readonly #clock: Clock;
  readonly #records = new Map<string, ExpectationRecord>();

  constructor({ clock = systemClock }: { readonly clock?: Clock } = {}) {
    this.#clock = clock;
  }

  /**
   * Whether the controller may act: everything expected was observed, nothing was expected, or the expectations have
   * expired.
   */
  satisfied(controllerKey: string): boolean {
    const record = this.#records.get(controllerKey);
    if (!record || (record.creations <= 0 && record.deletions <= 0)) return true;
    return this.#clock.monotonic() - record.setAt > expectationsTimeoutMs;
  }

  get(controllerKey: string): ControlleeExpectations | undefined {
    const record = this.#records.get(controllerKey);
    return record && { creations: record.creations, deletions: record.deletions };
  }

  /** Replaces the expectations and restarts the five minutes. */
  setExpectations(controllerKey: string, creations: number, deletions: number): void {
    this.#records.set(controllerKey, { creations, deletions, setAt: this.#clock.monotonic() });
  }

  expectCreations(controllerKey: string, creations: number): void {
    this.setExpectations(controllerKey, creations, 0);
  }

  expectDeletions(controllerKey: string, deletions: number): void {
    this.setExpectations(controllerKey, 0, deletions);
  }

  creationObserved(controllerKey: string): void {
    this.lowerExpectations(controllerKey, 1, 0);
  }

  deletionObserved(controllerKey: string): void {
    this.lowerExpectations(controllerKey, 0, 1);
  }

  /**
   * Lowers the expectations, because creations and deletions were observed or failed. Does nothing when there are no
   * expectations.
   */
  lowerExpectations(controllerKey: string, creations: number, deletions: number): void {
    this.raiseExpectations(controllerKey, -creations, -deletions);
  }

  /** Raises the expectations. Does nothing when there are none. */
  raiseExpectations(controllerKey: string, creations: number, deletions: number): void {
    const record = this.#records.get(controllerKey);
    if (!record) return;
    record.creations += creations;
    record.deletions += deletions;
  }

  /** Must be called when the controller's object is deleted. */
  deleteExpectations(controllerKey: string): void {
    this.#records.delete(controllerKey);
  }
}
