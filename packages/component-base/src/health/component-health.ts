import type { ApiResponse } from '../http/handler.ts';
import { notFoundResponse } from '../http/respond.ts';
import { type HealthCheck, type HealthEndpoint, type HealthObserver, runCheck, runChecks } from './run-checks.ts';

/** Always succeeds: for endpoints without checks. */
const ping: HealthCheck = { name: 'ping', check: () => {} };

/** The endpoints of a component, with their checks. */
export type HealthEndpoints = Readonly<Partial<Record<HealthEndpoint, readonly HealthCheck[]>>>;

export interface ComponentHealthOptions {
  readonly endpoints: HealthEndpoints;
  /** Whether each check is served as `/readyz/NAME` as well. */
  readonly hasSubpaths: boolean;
  readonly onResult?: HealthObserver;
}

/** The health endpoints of a component: kube-controller-manager has only `/healthz`, kube-scheduler has all three. */
export class ComponentHealth {
  readonly #checks: Map<HealthEndpoint, HealthCheck[]>;
  readonly #options: ComponentHealthOptions;

  constructor(options: ComponentHealthOptions) {
    this.#options = options;
    const { healthz, livez, readyz } = options.endpoints;
    this.#checks = new Map();
    if (healthz) this.#checks.set('healthz', [...healthz]);
    if (livez) this.#checks.set('livez', [...livez]);
    if (readyz) this.#checks.set('readyz', [...readyz]);
  }

  /** Adds a check to the endpoint. Throws an Error when the component does not have the endpoint. */
  add(endpoint: HealthEndpoint, check: HealthCheck): void {
    const checks = this.#checks.get(endpoint);
    if (!checks) throw new Error(`this component has no ${endpoint} endpoint`);
    checks.push(check);
  }

  /** The paths of the endpoints, for `/statusz`. */
  paths(): string[] {
    return [...this.#checks.keys()].map((endpoint) => `/${endpoint}`);
  }

  /** Returns undefined when the path is not a health path. */
  respond(path: string, query: URLSearchParams): Promise<ApiResponse> | undefined {
    for (const [endpoint, registered] of this.#checks) {
      const checks = registered.length > 0 ? registered : [ping];
      if (path === `/${endpoint}`) return runChecks(endpoint, checks, query, this.#options.onResult);
      if (this.#options.hasSubpaths && path.startsWith(`/${endpoint}/`)) {
        const check = checks.find(({ name }) => path === `/${endpoint}/${name}`);
        return check ? runCheck(check) : Promise.resolve(notFoundResponse());
      }
    }
    return undefined;
  }
}
