import type { Pod } from '@coxswain/api/core/v1';
import type { PodDisruptionBudget } from '@coxswain/api/policy/v1';
import type { Selector } from '@coxswain/apimachinery/labels';
import { podCondition } from '@coxswain/component-helpers';
import { Action } from '../../framework/cluster-event.ts';
import type { CycleState } from '../../framework/cycle-state.ts';
import { FitError } from '../../framework/fit-error.ts';
import type { Handle, PluginDefinition } from '../../framework/handle.ts';
import { NodeToStatus } from '../../framework/node-to-status.ts';
import type { NodeStatuses, PostFilterResult } from '../../framework/plugin.ts';
import type { PodInfo } from '../../framework/pod-info.ts';
import { RememberedNodes } from '../../framework/remembered-nodes.ts';
import { SignatureCache } from '../../framework/signature-cache.ts';
import { Status } from '../../framework/status.ts';
import { askExtenders } from './ask-extenders.ts';
import { bestCandidate, CandidateFinder, type DryRun, type Outcome } from './candidates.ts';
import { candidatesWanted, type DefaultPreemptionArgs, readDefaultPreemptionArgs } from './default-preemption-args.ts';
import { budgetSelector, DisruptionBudgets } from './disruption-budgets.ts';
import { priorityOf } from './importance.ts';
import { PreemptionExecutor } from './preemption-executor.ts';
import { PreemptionMetrics } from './preemption-metrics.ts';

const name = 'DefaultPreemption';

/** Preempts pods of lower priority to make room for a pod. */
export const defaultPreemption: PluginDefinition<DefaultPreemptionArgs> = {
  name,
  readArgs: readDefaultPreemptionArgs,
  create: (args, handle) => {
    const metrics = new PreemptionMetrics(handle.metrics);
    const executor = new PreemptionExecutor(handle, metrics, name);
    const preempting = Status.unresolvable('waiting for the preemption for this pod to be finished');
    const evaluator = new PreemptionEvaluator(args, handle, executor);
    return {
      name,
      preEnqueue: (pod) => (executor.isPreempting(pod) ? preempting : undefined),
      postFilter: async (state, pod, statuses, signal) => {
        const answer = await evaluator.preempt(state, pod, statuses, signal);
        metrics.attempted();
        if (answer instanceof Status) return told(answer);
        return answer.status ? { ...answer, status: told(answer.status) } : answer;
      },
      // The plug-ins that rejected a pod know when it fits again, so the hint is always Skip. But with this registration the queue calls
      // PreEnqueue again when pods are deleted.
      eventsToRegister: () => [{ event: { resource: 'Pod', action: Action.Delete }, hint: () => 'Skip' }],
    };
  },
};

const told = ({ code, message, error }: Status): Status =>
  new Status(code, message ? [`preemption: ${message}`] : [], error);

/** Finds the node on which room can be made for a pod with the least impact. */
class PreemptionEvaluator {
  readonly #args: DefaultPreemptionArgs;
  readonly #handle: Handle;
  readonly #executor: PreemptionExecutor;
  readonly #finder = new CandidateFinder();
  readonly #outcomes = new SignatureCache(
    () => new RememberedNodes<Outcome>({ isSettled: (outcome) => outcome instanceof Status }),
  );
  #listedBudgets: readonly PodDisruptionBudget[] = [];
  #budgets = new DisruptionBudgets([]);
  readonly #selectors = new WeakMap<PodDisruptionBudget, Selector>();

  constructor(args: DefaultPreemptionArgs, handle: Handle, executor: PreemptionExecutor) {
    this.#args = args;
    this.#handle = handle;
    this.#executor = executor;
    // Accessed so that budgets are watched from the start.
    void handle.informers.policy.v1.podDisruptionBudgets.informer;
  }

  async preempt(
    state: CycleState,
    info: PodInfo,
    statuses: NodeStatuses,
    signal: AbortSignal,
  ): Promise<PostFilterResult | Status> {
    // The current state of the pod: its nomination may be new.
    const pod = this.#handle.informers.core.v1.pods.informer.indexer.getByKey(info.key);
    if (!pod) return Status.failed(new Error(`pod "${info.pod.metadata.name}" not found`));
    const obstacle = this.#ineligibility(pod, statuses);
    if (obstacle) return Status.unschedulable(obstacle);
    const { candidates, rejected } = this.#dryRun(state, info, statuses);
    if (candidates.length === 0) return this.#nothingFound(rejected);
    const left = await askExtenders(this.#handle, pod, candidates, signal);
    if (left instanceof Status) return left;
    const best = bestCandidate(left);
    if (!best) return Status.unschedulable('no candidate node for preemption');
    this.#executor.start(best, pod, signal);
    return { nominatedNodeName: best.nodeName };
  }

  /** Returns why the pod may not preempt others; undefined if it may. */
  #ineligibility(pod: Pod, statuses: NodeStatuses): string | undefined {
    if (pod.spec?.preemptionPolicy === 'Never') return 'not eligible due to preemptionPolicy=Never.';
    const { nominatedNodeName } = pod.status ?? {};
    if (!nominatedNodeName) return undefined;
    // Preemption cannot help on that node, so another one may be tried.
    if (statuses.get(nominatedNodeName).code === 'UnschedulableAndUnresolvable') return undefined;
    const priority = priorityOf(pod);
    const isWaitedFor = this.#handle
      .snapshot()
      .get(nominatedNodeName)
      ?.pods.some((other) => other.priority < priority && isLeavingForAnother(other.pod));
    return isWaitedFor ? 'not eligible due to a terminating pod on the nominated node.' : undefined;
  }

  #dryRun(state: CycleState, pod: PodInfo, statuses: NodeStatuses): DryRun {
    const nodes = statuses.nodesWith('Unschedulable');
    if (nodes.length === 0) return { candidates: [], rejected: [] };
    const preemption = { handle: this.#handle, state, pod, budgets: this.#currentBudgets() };
    const offset = Math.floor(this.#handle.random() * nodes.length);
    const wanted = candidatesWanted(this.#args, nodes.length);
    return this.#finder.find(preemption, nodes, offset, wanted, this.#recall(state, pod));
  }

  /** Returns the dry run results cached for the pod's signature; undefined without a signature. */
  #recall({ signature }: CycleState, { pod }: PodInfo): RememberedNodes<Outcome> | undefined {
    if (signature === undefined) return undefined;
    const outcomes = this.#outcomes.get(signature);
    outcomes.sync(this.#handle.snapshot(), this.#handle.nominator.nominatedNode(pod));
    return outcomes;
  }

  /** Drops cached results when a budget changes, since nodes may then have other victims. */
  #currentBudgets(): DisruptionBudgets {
    const listed = [...this.#handle.informers.policy.v1.podDisruptionBudgets.informer.indexer.values()];
    const known = this.#listedBudgets;
    if (listed.length !== known.length || listed.some((budget, i) => budget !== known[i])) {
      this.#listedBudgets = listed;
      this.#budgets = new DisruptionBudgets(listed, (budget) => this.#selectorOf(budget));
      this.#outcomes.clear();
    }
    return this.#budgets;
  }

  #nothingFound(rejected: DryRun['rejected']): PostFilterResult | Status {
    const errors = rejected.flatMap(({ status }) => (status.code === 'Error' ? [status.message] : []));
    const [first, ...others] = new Set(errors);
    if (first !== undefined) {
      return Status.failed(new Error(others.length > 0 ? `[${[first, ...others].join(', ')}]` : first));
    }
    const snapshot = this.#handle.snapshot();
    const reasons = new NodeToStatus(snapshot);
    reasons.absentStatus = Status.unresolvable('Preemption is not helpful for scheduling');
    for (const { node, status } of rejected) reasons.add(node, status);
    const { message } = new FitError(snapshot.nodes.length, reasons);
    // The empty name removes the existing nomination.
    return { nominatedNodeName: '', status: Status.unschedulable(message) };
  }

  #selectorOf(budget: PodDisruptionBudget): Selector {
    const known = this.#selectors.get(budget);
    if (known) return known;
    const selector = budgetSelector(budget);
    this.#selectors.set(budget, selector);
    return selector;
  }
}

function isLeavingForAnother(pod: Pod): boolean {
  if (!pod.metadata.deletionTimestamp) return false;
  const target = podCondition(pod, 'DisruptionTarget');
  return target?.status === 'True' && target.reason === 'PreemptionByScheduler';
}
