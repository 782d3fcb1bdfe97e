import type { ObjectReference } from '@coxswain/api/core/v1';
import type { KubernetesObject } from '@coxswain/apimachinery/meta';

export type EventType = 'Normal' | 'Warning';

/** What an event is about: the object itself, or a reference to it. */
export type EventSubject = KubernetesObject | ObjectReference;

export interface EventOptions {
  /** The object's kind, when the object has no apiVersion and kind, like objects from lists and caches. */
  readonly kind?: SubjectKind | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  /** The part of the object, for example `spec.containers{web}`. */
  readonly fieldPath?: string | undefined;
}

/** Group, version and kind. A `ResourceDescription` is assignable to it. */
export interface SubjectKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/**
 * Records events about objects. Its methods never throw and never block; events that cannot be written are logged and
 * dropped.
 */
export interface EventRecorder {
  /** The reason is one word in UpperCamelCase, for programs; the message is for people. */
  event(subject: EventSubject, type: EventType, reason: string, message: string, options?: EventOptions): void;
  annotatedEvent(
    subject: EventSubject,
    annotations: Readonly<Record<string, string>>,
    type: EventType,
    reason: string,
    message: string,
    options?: EventOptions,
  ): void;
}
