/** Leader election for components that run one active replica: the flags, and running as the leader. */
export { type LeadOptions, type LeadSettings, lead } from './lead.ts';
export { leaderElectionFlags } from './leader-election-flags.ts';
