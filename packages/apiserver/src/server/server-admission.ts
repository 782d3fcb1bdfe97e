import { AdmissionChain } from '../admission/admission.ts';
import { enabledAdmissionPlugins } from '../admission/admission-plugins.ts';
import { PolicyMetrics, paramAuthorization, servedParams } from '../admission/policy/index.ts';
import { celMatchConditions, WebhookMetrics } from '../admission/webhook/index.ts';
import type { DiscoveryRegistry } from '../discovery/index.ts';
import type { ResourceRouter } from '../endpoints/resource-router.ts';
import type { WebhookClient } from '../webhook/index.ts';
import type { Access } from './access.ts';
import { admissionPlugins, rbacEscalation } from './default-admission.ts';
import type { ServerCore } from './server-core.ts';

/** Dependencies of admission. Some are created after it, so it gets functions. */
export interface AdmissionSurroundings {
  readonly router: () => ResourceRouter;
  readonly discovery: DiscoveryRegistry;
  readonly webhooks: WebhookClient;
}

/** Returns the chain of enabled admission plug-ins. */
export function newAdmission(
  core: ServerCore,
  { authorization, authorizer }: Access,
  { router, discovery, webhooks }: AdmissionSurroundings,
): AdmissionChain {
  const { config, registries, logger, now } = core;
  const { features, eventLoop, random, defaultTolerationSeconds: tolerationSeconds } = config;
  const context = { listers: registries, client: registries, authorizer };
  const webhookMetrics = core.registered(new WebhookMetrics());
  const on = enabledAdmissionPlugins(config.enabledAdmissionPlugins, config.disabledAdmissionPlugins);
  const plugins = admissionPlugins(on, {
    ...context,
    features,
    now,
    random,
    configuration: config.admissionConfiguration ?? {},
    ...(tolerationSeconds && { tolerationSeconds }),
    webhooks: {
      client: webhooks,
      metrics: webhookMetrics,
      compileConditions: celMatchConditions(authorizer),
      uuid: random.uuid,
      logger,
    },
    policies: {
      eventLoop,
      metrics: core.registered(new PolicyMetrics()),
      conditionMetrics: webhookMetrics,
      params: (kind) => {
        const served = router().ofKind(kind);
        return served && servedParams(served);
      },
    },
    ownerMapper: ({ group, version }, kind) =>
      discovery.groupVersion(group, version)?.resources.find((resource) => resource.kind === kind),
  });
  const params = paramAuthorization({
    context,
    resourceFor: (kind) => router().ofKind(kind)?.scope.resource.resource,
  });
  return new AdmissionChain([...plugins, rbacEscalation(authorization), params]);
}
