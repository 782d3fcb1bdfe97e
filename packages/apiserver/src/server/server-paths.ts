import { notFoundResponse } from '@coxswain/component-base/http';
import { flagsText, statusText, textPage } from '@coxswain/component-base/serving';
import { discoveryHandler, pathIndex } from '../discovery/index.ts';
import type { HealthChecks } from '../health/index.ts';
import type { ContextHandler } from '../http/request-context.ts';
import { openApiHandler, openApiPaths } from '../openapi/index.ts';
import { jwksPath, newOpenIdMetadata, openIdConfigurationPath } from '../serviceaccount/index.ts';
import { versionHandler } from '../version/index.ts';
import type { ApiSurface } from './api-surface.ts';
import type { ServerCore } from './server-core.ts';

/** Serves the paths that are not resources: discovery, OpenAPI, health, metrics and others. */
export class ServerPaths {
  /** By the first segment of the path. */
  readonly #handlers: Map<string, ContextHandler>;
  readonly #known: ReadonlySet<string>;

  /** `unlisted` are handlers that are not in the index of paths. */
  constructor(
    core: ServerCore,
    { discovery, openApi }: Pick<ApiSurface, 'discovery' | 'openApi'>,
    health: HealthChecks,
    unlisted: Iterable<readonly [string, ContextHandler]>,
  ) {
    const openId = openIdHandlers(core);
    const pages = textPages(core);
    const groups = discoveryHandler({ registry: discovery, serverAddress: () => core.externalAddress });
    const listed = new Map<string, ContextHandler>([
      ['api', groups],
      ['apis', groups],
      ['healthz', health.handler],
      ['livez', health.handler],
      ['readyz', health.handler],
      ['version', versionHandler(core.config.gitVersion)],
      ['metrics', core.metrics.handler],
      ...pages,
      ['openapi', openApiHandler(openApi, core.now)],
      ...[...openId].map(([path, handler]) => [firstPart(path), handler] as const),
    ]);
    listed.set(
      '',
      pathIndex(
        () => ['/version', ...[...pages.keys()].map((name) => `/${name}`), ...openId.keys()],
        () => discovery.paths(),
        () => health.paths(),
        () => core.metrics.paths(),
        openApiPaths,
      ),
    );
    const builtIn = core.served.flatMap(({ group, version }) =>
      group === '' ? [`/api/${version}`] : [`/apis/${group}`, `/apis/${group}/${version}`],
    );
    this.#known = new Set([
      ...[...listed.keys()].map((path) => `/${path}`),
      ...builtIn,
      ...openApiPaths(),
      openIdConfigurationPath,
      jwksPath,
    ]);
    this.#handlers = new Map([...unlisted, ...listed]);
  }

  /** Returns whether requests to the path are counted in metrics. */
  knows(path: string): boolean {
    return this.#known.has(path);
  }

  readonly serve: ContextHandler = (context) => {
    const { path } = context.info;
    const [, first = ''] = path.split('/', 2);
    const handler = first === '' && path !== '/' ? undefined : this.#handlers.get(first);
    return handler?.(context) ?? Promise.resolve(notFoundResponse());
  };
}

/** Returns the handlers of `/flagz` and `/statusz`. */
function textPages({ config, metrics, now }: ServerCore): ReadonlyMap<string, ContextHandler> {
  const { features, flags = {} } = config;
  const component = 'apiserver';
  const started = new Date(metrics.startTimeSeconds * 1000);
  const names = ['flagz', 'healthz', 'livez', 'metrics', 'readyz', 'statusz', 'version'];
  const texts: Readonly<Record<string, () => string>> = {
    ...(features.enabled('ComponentFlagz') && { flagz: () => flagsText(component, flags) }),
    ...(features.enabled('ComponentStatusz') && {
      statusz: () => statusText({ component, started, now: now(), paths: names.map((name) => `/${name}`) }),
    }),
  };
  return new Map(
    Object.entries(texts).map(([name, text]) => [
      name,
      async ({ request, info }) => (info.path === `/${name}` ? textPage(request, text()) : notFoundResponse()),
    ]),
  );
}

/** Returns the handlers of OpenID discovery for service account tokens. Empty when the issuer is not a valid HTTPS URL. */
function openIdHandlers(core: ServerCore): ReadonlyMap<string, ContextHandler> {
  const { issuers, keys, jwksUri } = core.config.serviceAccounts;
  const make = (externalAddress: string) =>
    newOpenIdMetadata({ issuer: issuers[0] ?? '', keys, externalAddress, ...(jwksUri && { jwksUri }) });
  try {
    make('localhost');
  } catch (error) {
    core.logger.error('No OpenID metadata is served', error);
    return new Map();
  }
  const at =
    (path: string, part: 'configuration' | 'keyset'): ContextHandler =>
    async ({ info }) =>
      info.path === path ? make(core.externalAddress)[part] : notFoundResponse();
  return new Map([
    [openIdConfigurationPath, at(openIdConfigurationPath, 'configuration')],
    [jwksPath, at(jwksPath, 'keyset')],
  ]);
}

const firstPart = (path: string): string => path.split('/', 2)[1] ?? '';
