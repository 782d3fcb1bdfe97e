import type { Secret, ServiceAccount } from '@coxswain/api/core/v1';
import { isConflict, isNotFound } from '@coxswain/apimachinery/errors';
import {
  deletedObject,
  FilteringResourceEventHandler,
  retryOnConflict,
  type SharedIndexInformer,
} from '@coxswain/client';
import type { Controller, ControllerContext } from '../framework/controller/controller.ts';
import { ReconcileLoop } from '../framework/controller/reconcile-loop.ts';
import {
  accountOf,
  addAccountIndex,
  filledIn,
  isTokenSecret,
  type LegacyTokenClaims,
  legacyTokenClaims,
  missingIn,
  tokenSecretsOf,
} from './token-secrets.ts';

export interface ServiceAccountTokenControllerOptions {
  /** Signs a JWT with exactly these claims, with the key of `--service-account-private-key-file`. */
  readonly signToken: (claims: LegacyTokenClaims) => string | Promise<string>;
  /** The CA certificates as PEM to add to the Secrets. Empty for none. */
  readonly rootCA: string;
  /** `--concurrent-serviceaccount-token-syncs` */
  readonly workers?: number;
}

const maxRetries = 10;

/** Identifies an account or Secret. Another object of the same name has another uid. */
interface Named {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** A Secret and the account in its annotations, which are needed even after the Secret was deleted. */
interface NamedSecret extends Named {
  readonly account: { readonly name: string; readonly uid: string };
}

/** Fills service account token Secrets, and deletes them when their accounts are deleted. */
export class ServiceAccountTokenController implements Controller {
  readonly #context: ControllerContext;
  readonly #options: ServiceAccountTokenControllerOptions;
  readonly #accounts: SharedIndexInformer<ServiceAccount>;
  readonly #secrets: SharedIndexInformer<Secret>;
  /** Its keys are `Named` as JSON. */
  readonly #accountLoop: ReconcileLoop;
  /** Its keys are `NamedSecret` as JSON. */
  readonly #secretLoop: ReconcileLoop;

  constructor(context: ControllerContext, options: ServiceAccountTokenControllerOptions) {
    this.#context = context;
    this.#options = options;
    this.#accounts = context.informers.core.v1.serviceAccounts.informer;
    this.#secrets = context.informers.core.v1.secrets.informer;
    const { workers = 5 } = options;
    const loopOptions = { workers, synced: [this.#accounts, this.#secrets], maxRetries };
    this.#accountLoop = new ReconcileLoop(context, {
      ...loopOptions,
      name: 'serviceaccount_tokens_service',
      reconcile: (key) => this.#reconcileAccount(JSON.parse(key)),
    });
    this.#secretLoop = new ReconcileLoop(context, {
      ...loopOptions,
      name: 'serviceaccount_tokens_secret',
      reconcile: (key) => this.#reconcileSecret(JSON.parse(key)),
    });
    addAccountIndex(this.#secrets);
    this.#watch();
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#accountLoop.run(signal), this.#secretLoop.run(signal)]);
  }

  /** Deletes the token Secrets of a deleted account. */
  async #reconcileAccount({ namespace, name, uid }: Named): Promise<void> {
    if (this.#cachedAccount(namespace, name, uid)) return;
    for (const { metadata } of tokenSecretsOf(this.#secrets.indexer, namespace, name, uid)) {
      await this.#delete({ namespace, name: metadata.name ?? '', uid: metadata.uid ?? '' });
    }
  }

  async #reconcileSecret(named: NamedSecret): Promise<void> {
    const { namespace, name, uid, account } = named;
    const cached = this.#secrets.indexer.getByKey(`${namespace}/${name}`);
    if (cached?.metadata.uid !== uid) {
      if (this.#cachedAccount(namespace, account.name, account.uid)) await this.#removeReference(named);
      return;
    }
    const owner =
      this.#cachedAccount(namespace, account.name, account.uid) ??
      (await this.#liveAccount(namespace, account.name, account.uid));
    if (owner) await this.#fill(cached, owner);
    else await this.#delete(named);
  }

  async #fill(cached: Secret, account: ServiceAccount): Promise<void> {
    const { rootCA, signToken } = this.#options;
    if (!missingIn(cached, rootCA)) return;
    const { namespace = '', name = '' } = cached.metadata;
    const client = this.#context.clients.core.v1.secrets(namespace);
    const live = await client.get(name).catch(unlessNotFound);
    // The Secret has changed, so an update event will follow.
    if (!live || live.metadata.resourceVersion !== cached.metadata.resourceVersion) return;
    const missing = missingIn(live, rootCA);
    if (!missing) return;
    const token = missing.token ? await signToken(legacyTokenClaims(account, live)) : undefined;
    await client.update(filledIn(live, account, { missing, rootCA, token })).catch((error: unknown) => {
      if (!isConflict(error) && !isNotFound(error)) throw error;
    });
  }

  /** Removes a deleted Secret from the account's list of Secrets. */
  async #removeReference({ namespace, name, account }: NamedSecret): Promise<void> {
    const client = this.#context.clients.core.v1.serviceAccounts(namespace);
    const { clock, random } = this.#context;
    const remove = async (): Promise<void> => {
      const live = await client.get(account.name).catch(unlessNotFound);
      if (!live || (account.uid !== '' && live.metadata.uid !== account.uid)) return;
      const secrets = live.secrets?.filter((secret) => secret.name !== name) ?? [];
      if (secrets.length === (live.secrets?.length ?? 0)) return;
      await client.update({ ...live, secrets }).catch(unlessNotFound);
    };
    const backoff = { steps: 10, durationMs: 100, factor: 1, jitter: 1 };
    await retryOnConflict(remove, { backoff, clock, random }).catch((error: unknown) => {
      this.#context.logger.error('Failed to remove reference to secret', error, { secret: { namespace, name } });
    });
  }

  async #delete({ namespace, name, uid }: Named): Promise<void> {
    const client = this.#context.clients.core.v1.secrets(namespace);
    await client.delete(name, { preconditions: { uid } }).catch((error: unknown) => {
      // The Secret is deleted, or another one has this name.
      if (!isNotFound(error) && !isConflict(error)) throw error;
    });
  }

  #cachedAccount(namespace: string, name: string, uid: string): ServiceAccount | undefined {
    const account = this.#accounts.indexer.getByKey(`${namespace}/${name}`);
    return isOfUid(account, uid) ? account : undefined;
  }

  async #liveAccount(namespace: string, name: string, uid: string): Promise<ServiceAccount | undefined> {
    const account = await this.#context.clients.core.v1.serviceAccounts(namespace).get(name).catch(unlessNotFound);
    return isOfUid(account, uid) ? account : undefined;
  }

  #watch(): void {
    const enqueueAccount = (account: ServiceAccount): void =>
      this.#accountLoop.queue.add(JSON.stringify(namedOf(account.metadata)));
    this.#accounts.addEventHandler({
      onAdd: enqueueAccount,
      onUpdate: (_, account) => enqueueAccount(account),
      onDelete: (deleted) => enqueueAccount(deletedObject(deleted)),
    });
    const enqueueSecret = (secret: Secret): void => {
      const account = accountOf(secret);
      if (account.name) this.#secretLoop.queue.add(JSON.stringify({ ...namedOf(secret.metadata), account }));
    };
    this.#secrets.addEventHandler(
      new FilteringResourceEventHandler(isTokenSecret, {
        onAdd: enqueueSecret,
        onUpdate: (_, secret) => enqueueSecret(secret),
        onDelete: (deleted) => enqueueSecret(deletedObject(deleted)),
      }),
    );
  }
}

const namedOf = ({ namespace = '', name = '', uid = '' }: Secret['metadata']): Named => ({ namespace, name, uid });

/** Whether the account has this uid. An empty uid matches every account. */
const isOfUid = (account: ServiceAccount | undefined, uid: string): boolean =>
  account !== undefined && (uid === '' || account.metadata.uid === uid);

function unlessNotFound(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}
