import type { Pod } from '@coxswain/api/core/v1';
import type { Eviction, PodDisruptionBudget } from '@coxswain/api/policy/v1';
import {
  ApiError,
  cloneJson,
  type DeleteOptions,
  GroupKind,
  GroupResource,
  invalid,
  isConflict,
  jsonEquals,
  newBadRequest,
  newConflict,
  newInvalid,
  Path,
  timeFromDate,
} from '@coxswain/apimachinery';
import { type Clock, sleep, systemClock } from '@coxswain/apimachinery/clock';
import { clientsMistake } from '../registry/clients-mistake.ts';
import type { InternalClient, Lister } from '../registry/lister.ts';
import { allowsUnready, covers, stillProcessed, withDisruption } from './disruption-budget.ts';

const optionsPath = Path.of('deleteOptions', 'ignoreStoreReadErrorWithClusterBreakingPotential');

const attempts = 20;
const pauseMs = 500;

export interface EvictionDependencies {
  readonly client: InternalClient;
  readonly budgets: Lister<PodDisruptionBudget>;
  /** Deletes the pod as if a client had sent these options, dry run included, without admission. */
  readonly deletePod: (namespace: string, name: string, options: DeleteOptions) => Promise<unknown>;
  readonly now: () => Date;
  /** The clock for pauses between attempts; the system clock by default. */
  readonly clock?: Clock;
  /** Waits between attempts; by `clock` when undefined. */
  readonly pause?: (ms: number) => Promise<void>;
}

export interface EvictionRequest {
  readonly namespace: string;
  /** The name of the pod in the URL. */
  readonly name: string;
  readonly eviction: Eviction;
  /** The `dryRun` parameter of the request, such as `['All']`. */
  readonly dryRun?: readonly string[];
  /** Validating admission. Called when the eviction itself is valid. */
  readonly validate?: () => Promise<void>;
}

/** Deletes a pod if its disruption budget allows it. Throws upstream's ApiErrors. */
export async function evictPod(dependencies: EvictionDependencies, request: EvictionRequest): Promise<void> {
  const { namespace, name, eviction, validate } = request;
  if (name !== (eviction.metadata.name ?? ''))
    throw newBadRequest('name in URL does not match name in Eviction object');
  if (eviction.deleteOptions?.ignoreStoreReadErrorWithClusterBreakingPotential) {
    const detail = 'can not be set for pod eviction, try after removing the option';
    throw newInvalid(GroupKind.of('policy', 'Eviction'), name, [invalid(optionsPath, true, detail)]);
  }
  const options = deleteOptionsOf(request);
  await validate?.();
  const podEviction = new PodEviction(dependencies, namespace, name, options);
  const pod = await podEviction.deleteUnlessBudgetCounts();
  if (pod) await podEviction.deleteWithinBudget(pod);
}

/** Merges the dry run options of the request and of `deleteOptions`. Throws when both are set and differ. */
function deleteOptionsOf({ eviction, dryRun = [] }: EvictionRequest): DeleteOptions {
  const { deleteOptions = {} } = eviction;
  const own = deleteOptions.dryRun ?? [];
  if (own.length > 0 && dryRun.length > 0 && !jsonEquals(own, dryRun)) {
    const both = `[${dryRun.join(' ')}] and [${own.join(' ')}]`;
    throw clientsMistake(`Non-matching dry-run options in request and content: ${both}`);
  }
  return { ...deleteOptions, dryRun: own.length > 0 ? own : [...dryRun] };
}

class PodEviction {
  readonly #dependencies: EvictionDependencies;
  readonly #namespace: string;
  readonly #name: string;
  readonly #options: DeleteOptions;

  constructor(dependencies: EvictionDependencies, namespace: string, name: string, options: DeleteOptions) {
    this.#dependencies = dependencies;
    this.#namespace = namespace;
    this.#name = name;
    this.#options = options;
  }

  /** Deletes a pod that is pending, has terminated or is being deleted, without a budget. Returns any other pod. */
  async deleteUnlessBudgetCounts(): Promise<Pod | undefined> {
    // With a resourceVersion precondition, the client gets the conflict instead of a retry.
    return this.#retry(this.#namesVersion ? 1 : attempts, async () => {
      const pod = await this.#getPod();
      const { phase } = pod.status ?? {};
      const isOver = phase === 'Succeeded' || phase === 'Failed' || pod.metadata.deletionTimestamp !== undefined;
      if (!isOver && phase !== 'Pending') return pod;
      // The precondition makes sure that a pending pod does not become ready meanwhile.
      await this.#delete(isOver || this.#namesVersion ? this.#options : this.#onlyIf(pod));
      return undefined;
    });
  }

  async deleteWithinBudget(pod: Pod): Promise<void> {
    const { budgets } = this.#dependencies;
    const covering = budgets.list(this.#namespace).filter((budget) => covers(budget, pod));
    if (covering.length > 1)
      throw internal(
        'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
      );
    const [budget] = covering;
    const isUncounted = budget !== undefined && !isReady(pod) && allowsUnready(budget);
    if (budget && !isUncounted) await this.#decrement(budget);
    try {
      await this.#delete(isUncounted ? this.#onlyIf(pod) : this.#options);
    } catch (error) {
      if (isUncounted && !this.#namesVersion && isConflict(error)) throw stillProcessed(budget.metadata.name ?? '');
      throw error;
    }
  }

  async #decrement(known: PodDisruptionBudget): Promise<void> {
    const { client, now } = this.#dependencies;
    let budget = known;
    let isStale = false;
    await this.#retry(attempts, async () => {
      if (isStale)
        budget = await client.get('policy', 'poddisruptionbudgets', this.#namespace, known.metadata.name ?? '');
      isStale = true;
      const changed = withDisruption(budget, this.#name, now);
      if (!this.#isDryRun) await client.update('policy', 'poddisruptionbudgets', changed, { subresource: 'status' });
    });
  }

  /** Sets the DisruptionTarget condition of the pod, then deletes it. */
  async #delete(options: DeleteOptions): Promise<void> {
    const { deletePod } = this.#dependencies;
    let { preconditions } = options;
    if (!this.#isDryRun) {
      const { metadata } = await this.#markDisrupted(options);
      if (preconditions?.resourceVersion !== undefined)
        preconditions = { ...preconditions, resourceVersion: metadata.resourceVersion };
    }
    await deletePod(this.#namespace, this.#name, { ...options, ...(preconditions && { preconditions }) });
  }

  async #markDisrupted(options: DeleteOptions): Promise<Pod> {
    const { client, now } = this.#dependencies;
    for (let left = attempts - 1; ; left--) {
      const pod = await this.#getPod();
      checkPreconditions(pod, options);
      const changed = withDisruptionTarget(pod, now);
      if (changed === pod) return pod;
      try {
        return await client.update('', 'pods', changed, { subresource: 'status', untracked: true });
      } catch (error) {
        if (left <= 0 || !isConflict(error)) throw error;
      }
    }
  }

  #getPod(): Promise<Pod> {
    return this.#dependencies.client.get<Pod>('', 'pods', this.#namespace, this.#name);
  }

  #onlyIf({ metadata }: Pod): DeleteOptions {
    const { resourceVersion } = metadata;
    return { ...this.#options, preconditions: { ...this.#options.preconditions, resourceVersion } };
  }

  get #namesVersion(): boolean {
    return this.#options.preconditions?.resourceVersion !== undefined;
  }

  get #isDryRun(): boolean {
    return (this.#options.dryRun ?? []).length > 0;
  }

  /** Retries after a conflict, with a pause. Throws the last conflict. */
  async #retry<T>(times: number, attempt: () => Promise<T>): Promise<T> {
    const { clock = systemClock, pause = (ms) => sleep(clock, ms, { background: true }) } = this.#dependencies;
    for (let left = times - 1; ; left--) {
      try {
        return await attempt();
      } catch (error) {
        if (left <= 0 || !isConflict(error)) throw error;
      }
      await pause(pauseMs);
    }
  }
}

const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false;

/** Returns the pod with a DisruptionTarget condition; the same pod when it has it already. */
function withDisruptionTarget(pod: Pod, now: () => Date): Pod {
  const wanted = { status: 'True', reason: 'EvictionByEvictionAPI', message: 'Eviction API: evicting' };
  const conditions = pod.status?.conditions ?? [];
  const existing = conditions.find(({ type }) => type === 'DisruptionTarget');
  if (existing && Object.entries(wanted).every(([key, value]) => existing[key as keyof typeof wanted] === value))
    return pod;
  const lastTransitionTime =
    existing?.status === 'True' && existing.lastTransitionTime ? existing.lastTransitionTime : timeFromDate(now());
  const condition = { type: 'DisruptionTarget', lastTransitionTime, ...wanted };
  const changed = cloneJson(pod);
  changed.status = {
    ...changed.status,
    conditions: existing ? conditions.map((one) => (one === existing ? condition : one)) : [...conditions, condition],
  };
  return changed;
}

function checkPreconditions({ metadata }: Pod, { preconditions }: DeleteOptions): void {
  const checks = [
    ['uid', 'UID', 'The object might have been deleted and then recreated'],
    ['resourceVersion', 'ResourceVersion', 'The object might have been modified'],
  ] as const;
  for (const [field, called, hint] of checks) {
    const wanted = preconditions?.[field];
    if (!wanted || wanted === metadata[field]) continue;
    const why = `the ${called} in the precondition (${wanted}) does not match the ${called} in record (${metadata[field]}). ${hint}`;
    // As upstream, this error has the kind in place of the resource.
    throw newConflict(GroupResource.of('', 'Pod'), metadata.name ?? '', why);
  }
}

/** Returns an error with status 500 and no reason, as upstream. */
const internal = (message: string): ApiError => new ApiError({ status: 'Failure', message, code: 500 });
