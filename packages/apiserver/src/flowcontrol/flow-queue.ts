import type { FlowRequest } from './flow-request.ts';
import { RequestList } from './request-list.ts';
import type { SeatSeconds } from './seat-seconds.ts';

/** One of the queues of a priority level. By shuffle sharding it has the requests of a few flows. */
export class FlowQueue {
  readonly index: number;
  readonly waiting = new RequestList<FlowRequest>();
  /** This and the next two are sums over the waiting requests. */
  initialSeatsWaiting = 0;
  seatsWaiting = 0;
  workWaiting: SeatSeconds = 0;
  executing = 0;
  /** Includes the seats of finished writes whose watch events are still being sent. */
  seatsInUse = 0;
  /** Virtual time at which the next request starts. At least the arrival of that request, unless the queue is idle. */
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

  /** Moves `nextDispatchR` up to the arrival of the next request, so that a queue gets no credit for idle time. */
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
