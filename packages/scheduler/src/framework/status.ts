import { messageOf } from '@coxswain/apimachinery/errors';
/**
 * The result of an extension point other than success. Success is `undefined`: it is the result of nearly every filter for nearly every
 * node, and so costs nothing.
 */
export type StatusCode =
  /** An unexpected error; the pod is retried. */
  | 'Error'
  /** The pod does not fit now; preempting other pods might help. */
  | 'Unschedulable'
  /** The pod does not fit, and preempting other pods does not help. */
  | 'UnschedulableAndUnresolvable'
  /** From Permit: the pod has to wait. */
  | 'Wait'
  /** The plug-in does not apply to this pod. */
  | 'Skip'
  /** From PreEnqueue and others: the pod waits for an external change, which will be reported as an event. */
  | 'Pending';

export class Status {
  readonly code: StatusCode;
  readonly reasons: readonly string[];
  /** Set for `Error`. */
  readonly error: unknown;
  /** The plug-in that returned the status. Set by the framework. */
  plugin: string | undefined;

  constructor(code: StatusCode, reasons: readonly string[] = [], error?: unknown) {
    this.code = code;
    this.reasons = reasons;
    this.error = error;
  }

  static unschedulable(...reasons: string[]): Status {
    return new Status('Unschedulable', reasons);
  }

  static unresolvable(...reasons: string[]): Status {
    return new Status('UnschedulableAndUnresolvable', reasons);
  }

  static failed(error: unknown): Status {
    return new Status('Error', [messageOf(error)], error);
  }

  /** True for rejections: `Unschedulable`, `UnschedulableAndUnresolvable` or `Pending`. */
  get isRejected(): boolean {
    return this.code === 'Unschedulable' || this.code === 'UnschedulableAndUnresolvable' || this.code === 'Pending';
  }

  get message(): string {
    return this.reasons.join(', ');
  }
}

/** The plug-in does not apply to this pod and is skipped for the rest of the cycle. */
export const skip: Status = Object.freeze(new Status('Skip'));
