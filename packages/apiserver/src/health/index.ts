/** Whether the server is alive and ready: parts register checks, probes and people ask. */
export {
  type HealthCheck,
  HealthChecks,
  type HealthEndpoint,
  type HealthOptions,
  type StartHook,
} from './health-checks.ts';
