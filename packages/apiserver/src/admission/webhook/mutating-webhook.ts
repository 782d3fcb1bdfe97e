import type { MutatingWebhookConfiguration } from '@coxswain/api/admissionregistration/v1';
import { writeJson } from '@coxswain/apimachinery/codec/json';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts';
import { keepValidManagedFields } from '../keep-valid-managed-fields.ts';
import { ReinvocationRounds } from '../reinvocation-rounds.ts';
import { applyWebhookPatch } from './apply-webhook-patch.ts';
import type { CompiledWebhook } from './compiled-webhook.ts';
import { isExempt } from './exempt.ts';
import { MutableVersionedObjects } from './versioned-objects.ts';
import { assertTimeLeft, WebhookCaller } from './webhook-caller.ts';
import { WebhookMatcher } from './webhook-matcher.ts';
import type { WebhookPluginOptions } from './webhook-plugin-options.ts';
import { WebhookSource } from './webhook-source.ts';

const name = 'MutatingAdmissionWebhook';

/**
 * Calls the webhooks of MutatingWebhookConfigurations one after the other. Each sees the changes of the previous ones.
 */
export function mutatingAdmissionWebhook(options: WebhookPluginOptions): AdmissionPlugin {
  const { context, metrics, compileConditions } = options;
  const open = () =>
    context.listers.lister<MutatingWebhookConfiguration>(
      'admissionregistration.k8s.io',
      'mutatingwebhookconfigurations',
    );
  const source = new WebhookSource(open, compileConditions, (names) => metrics.keepOnly('admit', names));
  const matcher = new WebhookMatcher({ context, metrics, type: 'admit' });
  const caller = new WebhookCaller({ ...options, type: 'admit' });

  const dispatch = async (attributes: AdmissionAttributes, hooks: readonly CompiledWebhook[]): Promise<void> => {
    const rounds = ReinvocationRounds.of(attributes, name);
    const managedFields = attributes.object?.metadata?.managedFields;
    const versioned = new MutableVersionedObjects(attributes);
    try {
      for (const [index, hook] of hooks.entries()) {
        const invocation = await matcher.invocation(hook, attributes, versioned.object, (kind) =>
          versioned.inVersion(kind),
        );
        if (!invocation || !rounds.concerns(hook.uid)) continue;
        const objects = await versioned.inVersion(invocation.kind);
        const annotations = new Annotations(attributes, hook, rounds.number, index);
        let mutated = false;
        try {
          await caller.run(invocation, attributes, objects, {
            apply: (response) => {
              const patched = applyWebhookPatch(
                response,
                hook.webhook.name,
                attributes,
                invocation.kind,
                objects.object,
              );
              if (!patched) return;
              annotations.patch(patched.patch);
              mutated = patched.changed;
              versioned.replace(patched.object);
            },
            failedOpen: () => annotations.failedOpen(),
          });
          assertTimeLeft(attributes);
        } finally {
          annotations.mutation(mutated);
        }
        if (mutated) rounds.changed();
        rounds.called(hook.uid, hook.webhook.reinvocationPolicy === 'IfNeeded');
      }
      await versioned.writeBack();
    } finally {
      rounds.ended(attributes.object);
    }
    keepValidManagedFields(attributes, managedFields);
  };

  return {
    name,
    operations: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'],
    admit(attributes) {
      if (isExempt(attributes)) return;
      const hooks = source.webhooks();
      if (hooks instanceof Promise) return hooks.then((found) => dispatch(attributes, found));
      if (hooks.length > 0) return dispatch(attributes, hooks);
    },
  };
}

/** The audit annotations of a call. */
class Annotations {
  readonly #attributes: AdmissionAttributes;
  readonly #hook: CompiledWebhook;
  readonly #suffix: string;

  constructor(attributes: AdmissionAttributes, hook: CompiledWebhook, round: number, index: number) {
    this.#attributes = attributes;
    this.#hook = hook;
    this.#suffix = `round_${round}_index_${index}`;
  }

  failedOpen(): void {
    const { name: webhook } = this.#hook.webhook;
    this.#attributes.annotate(`failed-open.mutation.webhook.admission.k8s.io/${this.#suffix}`, webhook);
  }

  mutation(mutated: boolean): void {
    const { configuration, webhook } = this.#hook;
    const value = JSON.stringify({ configuration, webhook: webhook.name, mutated });
    this.#attributes.annotate(`mutation.webhook.admission.k8s.io/${this.#suffix}`, value);
  }

  patch(patch: unknown): void {
    const { configuration, webhook } = this.#hook;
    const value = writeJson({ configuration, webhook: webhook.name, patch, patchType: 'JSONPatch' });
    this.#attributes.annotate(`patch.webhook.admission.k8s.io/${this.#suffix}`, value, 'Request');
  }
}
