/** Leader election for components of which one copy works at a time: the flags, and running as the leader. */
export { type LeadOptions, type LeadSettings, lead } from './lead.ts';
export { leaderElectionFlags } from './leader-election-flags.ts';
