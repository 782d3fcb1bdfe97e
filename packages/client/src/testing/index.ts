// Fakes for tests of code that uses a client. When it matters that a server would accept the requests, use a real
// server in the same process (`@coxswain/apiserver`).
export { type Action, matchesAction } from './action.ts';
export { FakeTransport, type FakeTransportOptions, type Reaction, type WatchReaction } from './fake-transport.ts';
export { ObjectTracker, type ObjectTrackerOptions, type TrackerWriteOptions } from './object-tracker.ts';
export { ResourceTable } from './resource-table.ts';
