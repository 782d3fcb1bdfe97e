/** Whether the server is alive and ready: parts register checks, probes and people ask. */
export { type HealthCheck, HealthChecks } from './health-checks.ts';
