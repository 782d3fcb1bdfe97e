import type { ClusterRole, PolicyRule } from '@coxswain/api/rbac/v1';
import { isConflict, isNotFound, labels, semanticEqual } from '@coxswain/apimachinery';
import type { InternalClient, Lister, Listers } from '../registry/lister.ts';

const group = 'rbac.authorization.k8s.io';
const retryMs = 1000;

/**
 * Fills the rules of cluster roles that gather those of others (`aggregationRule`), as kube-controller-manager does:
 * selector by selector, roles by name, each rule once, and again whenever a cluster role changes.
 * Start it after the bootstrap policy is there, or it fills `admin`, `edit` and `view` bit by bit.
 */
export class ClusterRoleAggregator {
  readonly #client: InternalClient;
  readonly #lister: Lister<ClusterRole>;
  readonly #onError: (error: unknown) => void;
  #stopFollowing: (() => void) | undefined;
  #retry: NodeJS.Timeout | undefined;
  /** Something changed since the last pass began. */
  #dirty = false;
  #running: Promise<void> | undefined;
  #closed = false;

  /** `onError` gets what a write failed with; it is tried again. */
  constructor(client: InternalClient, listers: Listers, onError: (error: unknown) => void = () => {}) {
    this.#client = client;
    this.#lister = listers.lister<ClusterRole>(group, 'clusterroles');
    this.#onError = onError;
  }

  /** Resolves when everything that was stored at the start is aggregated. */
  async start(): Promise<void> {
    await this.#lister.synced;
    if (this.#closed) return;
    this.#stopFollowing = this.#lister.onChange(() => void this.#wake());
    await this.#wake();
  }

  close(): void {
    this.#closed = true;
    this.#stopFollowing?.();
    clearTimeout(this.#retry);
  }

  #wake(): Promise<void> {
    this.#dirty = true;
    this.#running ??= this.#run();
    return this.#running;
  }

  async #run(): Promise<void> {
    try {
      while (this.#dirty && !this.#closed) {
        // Changes that come together are answered together.
        await new Promise((resolve) => setImmediate(resolve));
        this.#dirty = false;
        await this.#pass();
      }
    } finally {
      // In the same step as the last look at `#dirty`, so that no change falls between.
      this.#running = undefined;
    }
  }

  async #pass(): Promise<void> {
    const changed = aggregate(this.#lister.list());
    await Promise.all(changed.map((role) => this.#write(role)));
  }

  async #write(role: ClusterRole): Promise<void> {
    try {
      await this.#client.update(group, 'clusterroles', role);
    } catch (error) {
      // The lister will tell of what got in between.
      if (isConflict(error) || isNotFound(error) || this.#closed) return;
      this.#onError(error);
      clearTimeout(this.#retry);
      this.#retry = setTimeout(() => void this.#wake(), retryMs).unref();
    }
  }
}

/**
 * The roles whose rules must change, with their new ones. Roles that gather others that gather are brought to an
 * end here, rather than by a write for every step.
 */
function aggregate(clusterRoles: readonly ClusterRole[]): ClusterRole[] {
  const current = new Map([...clusterRoles].sort(byName).map((role) => [role.metadata.name ?? '', role]));
  const gathering = [...current.values()].filter(({ aggregationRule }) => aggregationRule !== undefined);
  const changed = new Set<string>();
  for (let steps = 0, settled = false; steps <= gathering.length && !settled; steps++) {
    settled = true;
    for (const { metadata, aggregationRule } of gathering) {
      const role = current.get(metadata.name ?? '')!;
      const rules = gather(role, aggregationRule?.clusterRoleSelectors ?? [], current.values());
      if (rules === undefined || semanticEqual(rules, role.rules)) continue;
      current.set(metadata.name ?? '', { ...role, rules });
      changed.add(metadata.name ?? '');
      settled = false;
    }
  }
  return [...changed].flatMap((name) => current.get(name) ?? []);
}

/** Undefined when a selector cannot be understood: then the role is left as it is. */
function gather(
  into: ClusterRole,
  selectors: readonly Parameters<typeof labels.labelSelectorAsSelector>[0][],
  roles: Iterable<ClusterRole>,
): PolicyRule[] | undefined {
  const from = [...roles].filter(({ metadata }) => metadata.name !== into.metadata.name);
  const rules = new Map<string, PolicyRule>();
  for (const labelSelector of selectors) {
    const selector = parse(labelSelector);
    if (selector === undefined) return undefined;
    for (const { metadata, rules: theirs } of from) {
      if (!selector.matches(metadata.labels)) continue;
      for (const rule of theirs ?? []) {
        const identity = identityOf(rule);
        if (!rules.has(identity)) rules.set(identity, rule);
      }
    }
  }
  return [...rules.values()];
}

function parse(selector: Parameters<typeof labels.labelSelectorAsSelector>[0]): labels.Selector | undefined {
  try {
    return labels.labelSelectorAsSelector(selector);
  } catch {
    return undefined;
  }
}

/** Equal for rules that are equal, whether or not their empty lists are there. */
const identityOf = ({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): string =>
  JSON.stringify([verbs, apiGroups ?? [], resources ?? [], resourceNames ?? [], nonResourceURLs ?? []]);

const byName = (a: ClusterRole, b: ClusterRole): number => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1);
