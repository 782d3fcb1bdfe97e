import type { ValidatingWebhookConfiguration } from '@coxswain/api/admissionregistration/v1';
import type { GroupVersionKind } from '@coxswain/apimachinery';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts';
import type { CompiledWebhook } from './compiled-webhook.ts';
import { isExempt } from './exempt.ts';
import { inVersion, type VersionedObjects } from './versioned-objects.ts';
import { assertTimeLeft, WebhookCaller } from './webhook-caller.ts';
import { type Invocation, WebhookMatcher } from './webhook-matcher.ts';
import type { WebhookPluginOptions } from './webhook-plugin-options.ts';
import { WebhookSource } from './webhook-source.ts';

const failedOpenPrefix = 'failed-open.validating.webhook.admission.k8s.io/';

/** Calls the webhooks of ValidatingWebhookConfigurations concurrently. The first rejection in order is reported. */
export function validatingAdmissionWebhook(options: WebhookPluginOptions): AdmissionPlugin {
  const { context, metrics, compileConditions } = options;
  const open = () =>
    context.listers.lister<ValidatingWebhookConfiguration>(
      'admissionregistration.k8s.io',
      'validatingwebhookconfigurations',
    );
  const source = new WebhookSource(open, compileConditions, (names) => metrics.keepOnly('validating', names));
  const matcher = new WebhookMatcher({ context, metrics, type: 'validating' });
  const caller = new WebhookCaller({ ...options, type: 'validating' });

  const dispatch = async (attributes: AdmissionAttributes, hooks: readonly CompiledWebhook[]): Promise<void> => {
    const byKind = new Map<GroupVersionKind, Promise<VersionedObjects>>();
    const objectsIn = (kind: GroupVersionKind): Promise<VersionedObjects> => {
      let objects = byKind.get(kind);
      if (!objects) {
        objects = inVersion(attributes, kind);
        byKind.set(kind, objects);
      }
      return objects;
    };
    const invocations: Invocation[] = [];
    for (const hook of hooks) {
      const invocation = await matcher.invocation(hook, attributes, attributes.object, objectsIn);
      if (!invocation) continue;
      invocations.push(invocation);
      await objectsIn(invocation.kind);
    }
    if (invocations.length === 0) return;
    assertTimeLeft(attributes);
    const results = await Promise.allSettled(
      invocations.map(async (invocation, index) =>
        caller.run(invocation, attributes, await objectsIn(invocation.kind), {
          apply: () => {},
          failedOpen: () =>
            attributes.annotate(`${failedOpenPrefix}round_0_index_${index}`, invocation.hook.webhook.name),
        }),
      ),
    );
    // Differs from upstream, which reports the first rejection in time.
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  };

  return {
    name: 'ValidatingAdmissionWebhook',
    operations: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'],
    validate(attributes) {
      if (isExempt(attributes)) return;
      const hooks = source.webhooks();
      if (hooks instanceof Promise) return hooks.then((found) => dispatch(attributes, found));
      if (hooks.length > 0) return dispatch(attributes, hooks);
    },
  };
}
