import { type Clock, systemClock } from '@coxswain/apimachinery/clock';

/** Longer than a watch normally takes to tell of what was done; then a controller looks for itself. */
const expectationsTimeoutMs = 5 * 60_000;

/** How many creations and deletions a controller has yet to hear of. Below zero when it heard of more. */
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
 * What controllers have done and not yet heard of by their watch. A controller that creates three pods expects three
 * creations, and does not act again before it has seen them: its cache would still say that there are none.
 *
 * Events may be lost to a controller that was just started, so expectations expire after five minutes. Holds one small
 * record per controller (mostly the key of the object that owns others), until `deleteExpectations`.
 */
export class ControllerExpectations {
  readonly #clock: Clock;
  readonly #records = new Map<string, ExpectationRecord>();

  constructor({ clock = systemClock }: { readonly clock?: Clock } = {}) {
    this.#clock = clock;
  }

  /** Whether the controller may act: all has been seen, nothing was expected, or it is too long ago. */
  satisfied(controllerKey: string): boolean {
    const record = this.#records.get(controllerKey);
    if (!record || (record.creations <= 0 && record.deletions <= 0)) return true;
    return this.#clock.monotonic() - record.setAt > expectationsTimeoutMs;
  }

  get(controllerKey: string): ControlleeExpectations | undefined {
    const record = this.#records.get(controllerKey);
    return record && { creations: record.creations, deletions: record.deletions };
  }

  /** Instead of what was expected before; the five minutes begin. */
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

  /** So many less: seen, or they failed. Nothing happens where nothing is expected. */
  lowerExpectations(controllerKey: string, creations: number, deletions: number): void {
    this.raiseExpectations(controllerKey, -creations, -deletions);
  }

  /** So many more. Nothing happens where nothing is expected. */
  raiseExpectations(controllerKey: string, creations: number, deletions: number): void {
    const record = this.#records.get(controllerKey);
    if (!record) return;
    record.creations += creations;
    record.deletions += deletions;
  }

  /** To be called when the controller's own object is gone. */
  deleteExpectations(controllerKey: string): void {
    this.#records.delete(controllerKey);
  }
}
