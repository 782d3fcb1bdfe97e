import type { Lister } from '../../registry/lister.ts';
import type { CompileMatchConditions } from '../expressions/match-conditions.ts';
import { type CompiledWebhook, compileConfiguration, type WebhookConfiguration } from './compiled-webhook.ts';

const none: readonly CompiledWebhook[] = [];

/**
 * All webhooks of one type, in the order of their configurations' names. A configuration is compiled after it has
 * changed; without changes, `webhooks` returns a cached list.
 */
export class WebhookSource {
  readonly #open: () => Lister<WebhookConfiguration>;
  readonly #compileConditions: CompileMatchConditions;
  readonly #onCollected: (names: ReadonlySet<string>) => void;
  readonly #compiled = new WeakMap<WebhookConfiguration, readonly CompiledWebhook[]>();
  #lister: Lister<WebhookConfiguration> | undefined;
  #synced: Promise<void> | undefined;
  /** Undefined after a change. */
  #webhooks: readonly CompiledWebhook[] | undefined;

  /** `open` is called at the first write, and `onCollected` after changes with the names of all webhooks. */
  constructor(
    open: () => Lister<WebhookConfiguration>,
    compileConditions: CompileMatchConditions,
    onCollected: (names: ReadonlySet<string>) => void,
  ) {
    this.#open = open;
    this.#compileConditions = compileConditions;
    this.#onCollected = onCollected;
  }

  /** Returns a promise only until the lister has synced. */
  webhooks(): readonly CompiledWebhook[] | Promise<readonly CompiledWebhook[]> {
    if (this.#webhooks) return this.#webhooks;
    if (this.#lister) return this.#collect(this.#lister);
    this.#synced ??= this.#start();
    return this.#synced.then(() => this.webhooks());
  }

  async #start(): Promise<void> {
    const lister = this.#open();
    lister.onChange(() => {
      this.#webhooks = undefined;
    });
    await lister.synced;
    this.#lister = lister;
  }

  #collect(lister: Lister<WebhookConfiguration>): readonly CompiledWebhook[] {
    const configurations = lister.list();
    const webhooks = configurations.length === 0 ? none : configurations.flatMap((one) => this.#compile(one));
    this.#webhooks = webhooks;
    this.#onCollected(new Set(webhooks.map(({ webhook }) => webhook.name)));
    return webhooks;
  }

  #compile(configuration: WebhookConfiguration): readonly CompiledWebhook[] {
    let compiled = this.#compiled.get(configuration);
    if (!compiled) {
      compiled = compileConfiguration(configuration, this.#compileConditions);
      this.#compiled.set(configuration, compiled);
    }
    return compiled;
  }
}
