/** Invalidates and deletes auto-generated service account token Secrets that have not been used for a year. */
import type { Secret } from '@coxswain/api/core/v1';
import { isConflict, isNotFound } from '@coxswain/apimachinery/errors';
import { NAMESPACE_INDEX, waitForCacheSync } from '@coxswain/client';
import type { Controller, ControllerContext, ControllerDefinition } from '../framework/controller/controller.ts';
import { PeriodicTask } from '../framework/controller/periodic-task.ts';
import { accountOf } from '../service-account-token/token-secrets.ts';
import { podSecretNames } from './pod-secrets.ts';
import { dayOf, fateOf, invalidSinceLabel, isDay } from './unused-tokens.ts';

const dayMs = 24 * 60 * 60 * 1000;

export interface LegacyTokenCleanerOptions {
  /** `--legacy-service-account-token-clean-up-period` */
  readonly cleanUpPeriodMs?: number;
}

/** Creates the controller with a non-default period. */
export const newLegacyTokenCleanerController = (options: LegacyTokenCleanerOptions): ControllerDefinition => ({
  name: 'legacy-serviceaccount-token-cleaner-controller',
  aliases: ['legacy-service-account-token-cleaner'],
  create: (context) => newController(context, options),
});

function newController(
  context: ControllerContext,
  { cleanUpPeriodMs = 365 * dayMs }: LegacyTokenCleanerOptions,
): Controller {
  const { serviceAccounts, secrets, pods } = context.informers.core.v1;
  const task = new PeriodicTask(context, 'legacy service account token cleaner', dayMs, async () => {
    const now = context.clock.now();
    if (now < (await trackedSince(context)) + cleanUpPeriodMs) return;
    const mounted = new MountedSecrets(context);
    for (const secret of secrets.informer.indexer.list()) {
      const { namespace = '', name = '' } = secret.metadata;
      const account = serviceAccounts.informer.indexer.getByKey(`${namespace}/${accountOf(secret).name}`);
      const fate = fateOf(secret, { account, isMounted: () => mounted.has(namespace, name), now, cleanUpPeriodMs });
      if (fate === 'keep') continue;
      await carryOut(context, secret, fate).catch((error: unknown) =>
        context.logger.error('Failed to clean up legacy service account token', error, { secret, action: fate }),
      );
    }
  });
  return {
    async run(signal) {
      try {
        await waitForCacheSync(signal, serviceAccounts.informer, secrets.informer, pods.informer);
      } catch (error) {
        if (signal.aborted) return;
        throw error;
      }
      await task.run(signal);
    },
  };
}

async function carryOut(context: ControllerContext, secret: Secret, fate: 'invalidate' | 'delete'): Promise<void> {
  const { namespace = '', name = '', uid = '', resourceVersion = '' } = secret.metadata;
  const client = context.clients.core.v1.secrets(namespace);
  if (fate === 'invalidate') {
    const labels = { [invalidSinceLabel]: dayOf(context.clock.now()) };
    await client.patch(name, 'merge', { metadata: { uid, labels } });
    return;
  }
  await client.delete(name, { preconditions: { resourceVersion } }).catch((error: unknown) => {
    if (!isConflict(error) && !isNotFound(error)) throw error;
  });
}

/** Returns the start of the first full day on which the server recorded the use of tokens. */
async function trackedSince({ clients }: ControllerContext): Promise<number> {
  const configMaps = clients.core.v1.configMaps('kube-system');
  const { data } = await configMaps.get('kube-apiserver-legacy-service-account-token-tracking');
  if (data?.since === undefined) throw new Error('configMap does not have since label');
  if (!isDay(data.since))
    throw new Error(`error parsing trackedSince time: ${JSON.stringify(data.since)} is not a date`);
  return Date.parse(data.since) + dayMs;
}

/** The names of the Secrets that pods may read. The pods of a namespace are scanned once and on demand. */
class MountedSecrets {
  readonly #context: ControllerContext;
  readonly #namespaces = new Map<string, Set<string>>();

  constructor(context: ControllerContext) {
    this.#context = context;
  }

  has(namespace: string, name: string): boolean {
    let names = this.#namespaces.get(namespace);
    if (!names) {
      names = new Set();
      const pods = this.#context.informers.core.v1.pods.informer.indexer.byIndex(NAMESPACE_INDEX, namespace);
      for (const pod of pods) for (const secret of podSecretNames(pod)) names.add(secret);
      this.#namespaces.set(namespace, names);
    }
    return names.has(name);
  }
}
