import type { UserInfo } from '@coxswain/api';
import type { RequestInfo } from '../http/request-context.ts';
import type { Flow } from './flow.ts';
import type { FlowQueue } from './flow-queue.ts';
import type { Linked } from './request-list.ts';
import { type SeatSeconds, seatsTimesMs } from './seat-seconds.ts';

/** The assumed execution time of a request. `QueueSet.finish` replaces it by the actual time. */
export const estimatedServiceMs = 3;

/**
 * A request in a priority level. A `waiting` request becomes `executing` or `rejected`. `rejected` and `done` are final.
 */
export class FlowRequest implements Linked<FlowRequest> {
  readonly flow: Flow;
  readonly user: UserInfo;
  readonly info: RequestInfo;
  readonly distinguisher: string;
  phase: 'new' | 'waiting' | 'executing' | 'rejected' | 'done' = 'new';
  /** Seats during execution. */
  initialSeats = 1;
  /** Seats for `additionalLatencyMs` after execution, while watch events are sent. */
  finalSeats = 0;
  additionalLatencyMs = 0;
  /** Set for requests that were assigned to a queue, also without waiting in it. */
  queue: FlowQueue | undefined;
  arrivedMs = 0;
  startedMs = 0;
  arrivalR: SeatSeconds = 0;
  /** Called once, when a waiting request becomes `executing` (true) or `rejected` (false). */
  onDecision: ((execute: boolean) => void) | undefined;
  previous: FlowRequest | undefined;
  next: FlowRequest | undefined;

  constructor(flow: Flow, distinguisher: string, user: UserInfo, info: RequestInfo) {
    this.flow = flow;
    this.distinguisher = distinguisher;
    this.user = user;
    this.info = info;
  }

  get maxSeats(): number {
    return this.initialSeats > this.finalSeats ? this.initialSeats : this.finalSeats;
  }

  get finalWork(): SeatSeconds {
    return this.additionalLatencyMs === 0 ? 0 : seatsTimesMs(this.finalSeats, this.additionalLatencyMs);
  }

  get totalWork(): SeatSeconds {
    return seatsTimesMs(this.initialSeats, estimatedServiceMs) + this.finalWork;
  }
}
