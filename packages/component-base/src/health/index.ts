/** Whether something is well: checks, and what is answered about them. */

export { ComponentHealth, type ComponentHealthOptions, type HealthEndpoints } from './component-health.ts';
export { type HealthCheck, type HealthEndpoint, type HealthObserver, runCheck, runChecks } from './run-checks.ts';
