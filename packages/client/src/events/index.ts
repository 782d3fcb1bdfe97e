export { CoreEventRecorder, type CoreEventRecorderOptions, type EventClients } from './core-event-recorder.ts';
export type { CorrelatorOptions } from './event-correlator.ts';
export type { EventOptions, EventRecorder, EventSubject, EventType, SubjectKind } from './event-recorder.ts';
export { EventSeriesRecorder, type EventSeriesRecorderOptions, type Occurrence } from './event-series-recorder.ts';
export type { EventWriterOptions } from './event-writer.ts';
export { objectReference } from './object-reference.ts';
export { stopRecorder } from './stop-recorder.ts';
