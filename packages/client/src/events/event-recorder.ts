import type { ObjectReference } from '@coxswain/api/core/v1';
import type { KubernetesObject } from '@coxswain/apimachinery/meta';

export type EventType = 'Normal' | 'Warning';

/** What an event is about: the object itself, or a reference to it. */
export type EventSubject = KubernetesObject | ObjectReference;

export interface EventOptions {
  /** What the object is, where it does not say so itself: objects out of lists and caches do not. */
  readonly kind?: SubjectKind | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  /** Which part of the object, for example `spec.containers{web}`. */
  readonly fieldPath?: string | undefined;
}

/** A `ResourceDescription` is one. */
export interface SubjectKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Tells people what happens to an object. Never throws, and never waits: what cannot be told is logged and dropped. */
export interface EventRecorder {
  /** The reason is one word in UpperCamelCase for programs; the message is for people. */
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
