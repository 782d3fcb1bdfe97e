/** Whether the server is alive and ready: parts register checks, probes and people ask. */
export type { HealthCheck } from '@coxswain/component-base/health';
export { HealthChecks } from './health-checks.ts';
