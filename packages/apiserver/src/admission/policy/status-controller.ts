import type { ExpressionWarning, ValidatingAdmissionPolicy } from '@coxswain/api/admissionregistration/v1';
import type { Logger } from '@coxswain/apimachinery/log';
import type { Lister } from '../../registry/lister.ts';

interface PolicyStatusControllerOptions {
  readonly policies: Lister<ValidatingAdmissionPolicy>;
  readonly check: (policy: ValidatingAdmissionPolicy) => Promise<readonly ExpressionWarning[]>;
  /** Writes the status of a policy. */
  readonly apply: (name: string, status: NonNullable<ValidatingAdmissionPolicy['status']>) => Promise<void>;
  readonly logger: Logger;
}

/** Attempts to write a status, until the policy changes again. */
const maxAttempts = 5;

/**
 * Writes the status of ValidatingAdmissionPolicies: the type errors of their expressions, and the observed generation.
 * Processes one policy at a time.
 */
export class PolicyStatusController {
  readonly #options: PolicyStatusControllerOptions;
  /** Queued policies, with their number of failed attempts. */
  readonly #queue = new Map<string, number>();
  #unfollow: (() => void) | undefined;
  #working: Promise<void> | undefined;
  #stopped = false;

  constructor(options: PolicyStatusControllerOptions) {
    this.#options = options;
  }

  /** Resolves when the lister has synced. The policies are processed later. */
  async start(): Promise<void> {
    const { policies } = this.#options;
    this.#unfollow = policies.onChange((policy) => {
      if (policy) this.#enqueue(policy);
    });
    await policies.synced;
    for (const policy of policies.list()) this.#enqueue(policy);
  }

  /** Resolves when the current policy is processed. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#unfollow?.();
    await this.#working;
  }

  #enqueue({ metadata, status }: ValidatingAdmissionPolicy): void {
    if (this.#stopped || (metadata.generation ?? 0) <= (status?.observedGeneration ?? 0)) return;
    this.#queue.set(metadata.name ?? '', 0);
    this.#working ??= this.#work();
  }

  async #work(): Promise<void> {
    for (const [name, attempts] of this.#queue) {
      this.#queue.delete(name);
      if (this.#stopped) break;
      try {
        await this.#reconcile(name);
      } catch (error) {
        if (attempts + 1 < maxAttempts) this.#queue.set(name, attempts + 1);
        else this.#options.logger.error('Failed to update status of policy', error, { policy: name });
      }
    }
    this.#working = undefined;
  }

  async #reconcile(name: string): Promise<void> {
    const policy = this.#options.policies.get('', name);
    const generation = policy?.metadata.generation ?? 0;
    if (!policy || generation <= (policy.status?.observedGeneration ?? 0)) return;
    const expressionWarnings = [...(await this.#options.check(policy))];
    await this.#options.apply(name, {
      observedGeneration: generation,
      typeChecking: expressionWarnings.length > 0 ? { expressionWarnings } : {},
    });
  }
}
