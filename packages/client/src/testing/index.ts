// Fakes for tests of what uses a client. A real server in the same process (`@coxswain/apiserver`) is the better way
// wherever it matters that a server would have accepted what is sent.
export { type Action, matchesAction } from './action.ts';
export { FakeTransport, type FakeTransportOptions, type Reaction, type WatchReaction } from './fake-transport.ts';
export { ObjectTracker, type ObjectTrackerOptions, type TrackerWriteOptions } from './object-tracker.ts';
export { ResourceTable } from './resource-table.ts';
