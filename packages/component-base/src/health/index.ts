/** Health checks and their HTTP endpoints. */

export { ComponentHealth, type ComponentHealthOptions, type HealthEndpoints } from './component-health.ts';
export { type HealthCheck, type HealthEndpoint, type HealthObserver, runCheck, runChecks } from './run-checks.ts';
