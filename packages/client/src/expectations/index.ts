export { type ControlleeExpectations, ControllerExpectations } from './controller-expectations.ts';
export { type SlowStartResult, slowStartBatch } from './slow-start-batch.ts';
export { UIDTrackingControllerExpectations } from './uid-tracking-controller-expectations.ts';
