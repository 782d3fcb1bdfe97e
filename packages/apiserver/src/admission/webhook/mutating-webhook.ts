import type { MutatingWebhookConfiguration } from '@coxswain/api/admissionregistration/v1';
import { cloneJson, decodeManagedFields, jsonEquals, type KubernetesObject } from '@coxswain/apimachinery';
import { type AdmissionAttributes, type AdmissionPlugin, Reinvocation } from '../admission.ts';
import { applyWebhookPatch } from './apply-webhook-patch.ts';
import type { CompiledWebhook } from './compiled-webhook.ts';
import { isExempt } from './exempt.ts';
import { MutableVersionedObjects } from './versioned-objects.ts';
import { assertTimeLeft, WebhookCaller } from './webhook-caller.ts';
import { WebhookMatcher } from './webhook-matcher.ts';
import type { WebhookPluginOptions } from './webhook-plugin-options.ts';
import { WebhookSource } from './webhook-source.ts';

const name = 'MutatingAdmissionWebhook';

/** Asks the servers of MutatingWebhookConfigurations, one after the other; each sees what the one before has made. */
export function mutatingAdmissionWebhook(options: WebhookPluginOptions): AdmissionPlugin {
  const { context, metrics, compileConditions } = options;
  const open = () =>
    context.listers.lister<MutatingWebhookConfiguration>(
      'admissionregistration.k8s.io',
      'mutatingwebhookconfigurations',
    );
  const source = new WebhookSource(open, compileConditions);
  const matcher = new WebhookMatcher({ context, metrics, type: 'admit' });
  const caller = new WebhookCaller({ ...options, type: 'admit' });

  const dispatch = async (attributes: AdmissionAttributes, hooks: readonly CompiledWebhook[]): Promise<void> => {
    const rounds = Rounds.of(attributes);
    const managedFields = attributes.object?.metadata?.managedFields;
    const versioned = new MutableVersionedObjects(attributes);
    try {
      for (const [index, hook] of hooks.entries()) {
        const invocation = await matcher.invocation(hook, attributes, versioned.object, (kind) =>
          versioned.inVersion(kind),
        );
        if (!invocation || !rounds.concerns(hook)) continue;
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
        rounds.called(hook);
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

/** Who was called before, and who is to be called again because something has changed since. */
class Rounds {
  readonly #reinvocation: Reinvocation;
  #previouslyCalled = new Set<string>();
  readonly #again = new Set<string>();
  #lastOutput: KubernetesObject | undefined;

  private constructor(reinvocation: Reinvocation) {
    this.#reinvocation = reinvocation;
  }

  static of(attributes: AdmissionAttributes): Rounds {
    const reinvocation = Reinvocation.of(attributes);
    const known = reinvocation.memory.get(name);
    const rounds = known instanceof Rounds ? known : new Rounds(reinvocation);
    reinvocation.memory.set(name, rounds);
    // Somebody else has changed the object since.
    if (reinvocation.isReinvoke && !jsonEquals(rounds.#lastOutput, attributes.object)) rounds.#callAgain();
    return rounds;
  }

  get number(): number {
    return this.#reinvocation.isReinvoke ? 1 : 0;
  }

  /** In the second round only those that want it; nobody is called there for the first time. */
  concerns({ uid }: CompiledWebhook): boolean {
    return !this.#reinvocation.isReinvoke || this.#again.has(uid);
  }

  called({ uid, webhook }: CompiledWebhook): void {
    if (webhook.reinvocationPolicy === 'IfNeeded') this.#previouslyCalled.add(uid);
  }

  changed(): void {
    this.#callAgain();
    this.#reinvocation.wanted = true;
  }

  ended(object: KubernetesObject | undefined): void {
    // Nobody else would ask.
    if (this.#previouslyCalled.size > 0) this.#lastOutput = cloneJson(object);
  }

  #callAgain(): void {
    for (const uid of this.#previouslyCalled) this.#again.add(uid);
    this.#previouslyCalled = new Set();
  }
}

/** What the audit log has of a call. */
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
    const value = JSON.stringify({ configuration, webhook: webhook.name, patch, patchType: 'JSONPatch' });
    this.#attributes.annotate(`patch.webhook.admission.k8s.io/${this.#suffix}`, value, 'Request');
  }
}

/** Who owns which field is not for webhooks to break. */
function keepValidManagedFields({ object, warn }: AdmissionAttributes, before: ManagedFields): void {
  const after = object?.metadata?.managedFields;
  if (!object?.metadata || after === before) return;
  const problem = managedFieldsProblem(after);
  if (problem === undefined) return;
  const { managedFields: _, ...metadata } = object.metadata;
  object.metadata = { ...metadata, ...(before && { managedFields: before }) };
  warn(
    `.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: ${problem}`,
  );
}

type ManagedFields = NonNullable<KubernetesObject['metadata']>['managedFields'];

function managedFieldsProblem(managedFields: ManagedFields): string | undefined {
  try {
    decodeManagedFields(managedFields);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
