import { messageOf } from '@coxswain/apimachinery/errors';
/**
 * How an extension point ended, when it did not simply succeed. Success is `undefined`: it is what nearly every filter of
 * nearly every node says, and costs nothing.
 */
export type StatusCode =
  /** Something went wrong; the pod is tried again. */
  | 'Error'
  /** Not now; taking other pods away might help. */
  | 'Unschedulable'
  /** Not here, whoever else is taken away. */
  | 'UnschedulableAndUnresolvable'
  /** Of Permit: not yet. */
  | 'Wait'
  /** The plug-in has nothing to say to this pod. */
  | 'Skip'
  /** Of PreEnqueue and others: something outside has to happen first, which will come as an event. */
  | 'Pending';

export class Status {
  readonly code: StatusCode;
  readonly reasons: readonly string[];
  /** Set for `Error`. */
  readonly error: unknown;
  /** Which plug-in said so. The framework fills it in. */
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

  /** The pod cannot be placed like this: `Unschedulable`, `UnschedulableAndUnresolvable` or `Pending`. */
  get isRejected(): boolean {
    return this.code === 'Unschedulable' || this.code === 'UnschedulableAndUnresolvable' || this.code === 'Pending';
  }

  get message(): string {
    return this.reasons.join(', ');
  }
}

/** "I have nothing to say to this pod": the plug-in is left out for the rest of the cycle. */
export const skip: Status = Object.freeze(new Status('Skip'));
