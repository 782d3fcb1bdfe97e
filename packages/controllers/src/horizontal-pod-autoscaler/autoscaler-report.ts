import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerStatus,
  MetricStatus,
} from '@coxswain/api/autoscaling/v2';
import { messageOf } from '@coxswain/apimachinery/errors';
import { timeFromDate } from '@coxswain/apimachinery/time';
import type { EventRecorder } from '@coxswain/client';
import { withCondition, withoutCondition } from './conditions.ts';

const kind = { group: 'autoscaling', version: 'v2', kind: 'HorizontalPodAutoscaler' };

type ConditionType = 'AbleToScale' | 'ScalingActive' | 'ScalingLimited' | 'ScaledToZero';

/** Collects the status of an autoscaler during one reconcile, and records its events at once. */
export class AutoscalerReport {
  /** An error that does not stop the reconcile but causes a retry with an error message. */
  problem: Error | undefined;
  readonly #autoscaler: HorizontalPodAutoscaler;
  readonly #recorder: EventRecorder;
  readonly #now: string;
  #status: HorizontalPodAutoscalerStatus;
  /** The metrics of this reconcile. */
  #metrics: MetricStatus[] | undefined;

  constructor(autoscaler: HorizontalPodAutoscaler, recorder: EventRecorder, now: number) {
    this.#autoscaler = autoscaler;
    this.#recorder = recorder;
    this.#now = timeFromDate(new Date(now));
    this.#status = autoscaler.status ?? { desiredReplicas: 0 };
  }

  get status(): HorizontalPodAutoscalerStatus {
    return this.#status;
  }

  set(type: ConditionType, status: 'True' | 'False', reason: string, message: string): void {
    const conditions = withCondition(this.#status.conditions ?? [], { type, status, reason, message }, this.#now);
    this.#status = { ...this.#status, conditions };
  }

  remove(type: ConditionType): void {
    this.#status = { ...this.#status, conditions: withoutCondition(this.#status.conditions ?? [], type) };
  }

  warn(reason: string, message: string): void {
    this.#recorder.event(this.#autoscaler, 'Warning', reason, message, { kind });
  }

  /** Sets the replica counts in the status. Metrics of earlier reconciles are dropped. */
  setReplicas(currentReplicas: number, desiredReplicas: number): void {
    const { lastScaleTime, conditions = [] } = this.#status;
    this.#status = {
      // The server omits a zero, so it is omitted here too. Otherwise the status would seem to differ.
      ...(currentReplicas !== 0 && { currentReplicas }),
      desiredReplicas,
      ...(lastScaleTime !== undefined && { lastScaleTime }),
      ...(this.#metrics && { currentMetrics: this.#metrics }),
      conditions,
    };
  }

  setMetrics(currentMetrics: MetricStatus[]): void {
    this.#metrics = currentMetrics;
    this.#status = { ...this.#status, currentMetrics };
  }

  failedGetScale(error: unknown): void {
    const problem = messageOf(error);
    this.warn('FailedGetScale', problem);
    const message = `the HPA controller was unable to get the target's current scale: ${problem}`;
    this.set('AbleToScale', 'False', 'FailedGetScale', message);
  }

  unableToCompute(reason: string, problem: string): void {
    this.set('ScalingActive', 'False', reason, `the HPA was unable to compute the replica count: ${problem}`);
  }

  failedToCompute(problem: string): void {
    this.warn('FailedComputeMetricsReplicas', problem);
    const { namespace, name } = this.#autoscaler.metadata;
    this.problem = new Error(`failed to compute desired number of replicas for ${namespace}/${name}: ${problem}`);
  }

  failedRescale(replicas: number, reason: string, error: unknown): void {
    const problem = messageOf(error);
    this.warn('FailedRescale', `New size: ${replicas}; reason: ${reason}; error: ${problem}`);
    const message = `the HPA controller was unable to update the target scale: ${problem}`;
    this.set('AbleToScale', 'False', 'FailedUpdateScale', message);
  }

  rescaled(from: number, to: number, reason: string): void {
    const message = `the HPA controller was able to update the target scale to ${to}`;
    this.set('AbleToScale', 'True', 'SucceededRescale', message);
    const news = `New size: ${to}; reason: ${reason}`;
    this.#recorder.event(this.#autoscaler, 'Normal', 'SuccessfulRescale', news, { kind });
    this.remove('ScaledToZero');
    this.setReplicas(from, to);
    this.#status = { ...this.#status, lastScaleTime: this.#now };
  }
}
