export type { LeaderCallbacks, LeaderElectionOptions } from './leader-election-options.ts';
export { LeaderElector } from './leader-elector.ts';
export { LeaderHealthzAdaptor } from './leader-healthz-adaptor.ts';
export { type LeaderElectionRecord, LeaseLock, type LeaseLockOptions } from './lease-lock.ts';
