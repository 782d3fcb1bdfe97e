/** Health endpoints: liveness and readiness, by checks that parts of the server register. */
export type { HealthCheck } from '@coxswain/component-base/health';
export { HealthChecks } from './health-checks.ts';
