import type { FlowRequest } from './flow-request.ts';

interface Lingerer {
  readonly request: FlowRequest;
  readonly dueMs: number;
}

/** Requests that are done, but whose seats are not free yet, by the time at which they will be. */
export class Lingering {
  /** The latest first. */
  readonly #lingerers: Lingerer[] = [];

  add(request: FlowRequest, dueMs: number): void {
    // As a rule it is the latest of all.
    let place = 0;
    while (place < this.#lingerers.length && this.#lingerers[place]!.dueMs > dueMs) place++;
    this.#lingerers.splice(place, 0, { request, dueMs });
  }

  get nextDueMs(): number | undefined {
    return this.#lingerers.at(-1)?.dueMs;
  }

  /** Takes out the first that is due by now. */
  next(now: number): Lingerer | undefined {
    const last = this.#lingerers.at(-1);
    return last && last.dueMs <= now ? this.#lingerers.pop() : undefined;
  }
}
