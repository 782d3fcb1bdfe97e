import type { FlowRequest } from './flow-request.ts';
import { RequestList } from './request-list.ts';
import type { SeatSeconds } from './seat-seconds.ts';

/** One of the queues of a priority level: requests of one flow, or of few. */
export class FlowQueue {
  readonly index: number;
  readonly waiting = new RequestList<FlowRequest>();
  /** Sums over those that wait. */
  initialSeatsWaiting = 0;
  seatsWaiting = 0;
  workWaiting: SeatSeconds = 0;
  executing = 0;
  /** Also of those that are done while watchers still hear of them. */
  seatsInUse = 0;
  /** Virtual time at which its next request starts. Not before that has arrived, unless the queue is idle. */
  nextDispatchR: SeatSeconds = 0;

  constructor(index: number) {
    this.index = index;
  }

  get isIdle(): boolean {
    return this.waiting.length === 0 && this.executing === 0;
  }

  push(request: FlowRequest): void {
    this.waiting.push(request);
    this.#add(request, 1);
  }

  remove(request: FlowRequest): void {
    this.waiting.remove(request);
    this.#add(request, -1);
  }

  /** A queue that did not use its share while it could not does not get it later. */
  boundNextDispatch(): void {
    const { first } = this.waiting;
    if (first && this.nextDispatchR < first.arrivalR) this.nextDispatchR = first.arrivalR;
  }

  #add(request: FlowRequest, sign: 1 | -1): void {
    this.initialSeatsWaiting += sign * request.initialSeats;
    this.seatsWaiting += sign * request.maxSeats;
    this.workWaiting += sign * request.totalWork;
  }
}
