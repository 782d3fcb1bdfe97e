import type { Pod } from '@coxswain/api/core/v1';
import type { ResourceClaim, ResourceSlice } from '@coxswain/api/resource/v1';
import type { DeviceTaintRule } from '@coxswain/api/resource/v1beta2';
import { LruCache } from '@coxswain/apimachinery/cache';
import { isNotFound } from '@coxswain/apimachinery/errors';
import { findStatusCondition } from '@coxswain/apimachinery/meta';
import { timeFromDate } from '@coxswain/apimachinery/time';
import { semanticEqual } from '@coxswain/apimachinery/validation';
import {
  deletedObject,
  deletionHandlingKey,
  type EventRecorder,
  metaNamespaceKey,
  type ReconcileResult,
  type SharedIndexInformer,
} from '@coxswain/client';
import type { Controller, ControllerContext } from '../framework/controller/controller.ts';
import { ReconcileLoop } from '../framework/controller/reconcile-loop.ts';
import { currentSlices } from '../framework/devices/current-slices.ts';
import { isClaimForPod, lookUpClaim } from '../framework/devices/pod-resource-claims.ts';
import { evictPod } from '../framework/pods/evict-pod.ts';
import { claimEviction, type DeviceTaintSources, type Eviction, earlier, isSelected } from './device-taints.ts';
import { conditionType, type RuleEffects, ruleCondition } from './rule-condition.ts';

const name = 'device-taint-eviction-controller';
const workers = 8;
/** Minimum time between two writes of a rule's status. The first one is immediate. */
const ruleStatusPeriodMs = 10_000;
const poolIndex = 'devicePool';

/** Not every server has this resource. */
export const taintRules = { group: 'resource.k8s.io', version: 'v1beta2', resource: 'devicetaintrules' };

/** Reconciles pods (`pod:namespace/name`), which may have to be evicted, and rules (`rule:name`), whose status reports the evictions. */
export class DeviceTaintEvictionController implements Controller {
  readonly #context: ControllerContext;
  readonly #recorder: EventRecorder;
  readonly #loop: ReconcileLoop;
  readonly #pods: SharedIndexInformer<Pod>;
  readonly #claims: SharedIndexInformer<ResourceClaim>;
  readonly #slices: SharedIndexInformer<ResourceSlice>;
  readonly #rules: SharedIndexInformer<DeviceTaintRule> | undefined;
  /** The uids of pods that are due for eviction, by their keys. */
  readonly #waiting = new Map<string, string>();
  readonly #evicted = new LruCache<string, true>(500);
  /** The number of pods that each rule, by its uid, has evicted since this controller was created. */
  readonly #evictedBy = new Map<string, number>();

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#recorder = context.recorder(name);
    const { core, resource } = context.informers;
    this.#pods = core.v1.pods.informer;
    this.#claims = resource.v1.resourceClaims.informer;
    this.#slices = resource.v1.resourceSlices.informer;
    this.#rules = context.isServed(taintRules) ? resource.v1beta2.deviceTaintRules.informer : undefined;
    this.#loop = new ReconcileLoop(context, {
      name,
      workers,
      synced: [this.#pods, this.#claims, this.#slices, ...(this.#rules ? [this.#rules] : [])],
      reconcile: (key) => (key.startsWith('pod:') ? this.#syncPod(key.slice(4)) : this.#syncRule(key.slice(5))),
    });
    this.#claims.addIndexers({ [poolIndex]: poolsOf });
    this.#slices.addIndexers({ [poolIndex]: ({ spec }) => [poolKey(spec.driver, spec.pool.name)] });
    this.#watch();
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#loop.run(signal);
  }

  #watch(): void {
    const onPod = (pod: Pod): void => {
      // Most pods have no resource claims, and the field is immutable.
      if (pod.spec?.resourceClaims?.length) this.#enqueuePod(metaNamespaceKey(pod));
    };
    this.#pods.addEventHandler({
      onAdd: onPod,
      onUpdate: (old, pod) => {
        const isMoved = old.spec?.nodeName !== pod.spec?.nodeName;
        const [before, now] = [old.status?.resourceClaimStatuses, pod.status?.resourceClaimStatuses];
        if (isMoved || !semanticEqual(before, now)) onPod(pod);
      },
      // Removed at once, so that another pod of that name is not mistaken for it.
      onDelete: (deleted) => {
        this.#waiting.delete(deletionHandlingKey(deleted));
      },
    });
    this.#claims.addEventHandler({
      onAdd: (claim) => this.#enqueueUsers(claim),
      onUpdate: (old, claim) => {
        this.#enqueueUsers(old);
        this.#enqueueUsers(claim);
      },
      onDelete: (deleted) => this.#enqueueUsers(deletedObject(deleted)),
    });
    this.#slices.addEventHandler({
      onAdd: (slice) => this.#slicesChanged(slice),
      onUpdate: (old, slice) => this.#slicesChanged(old, slice),
      onDelete: (deleted) => this.#slicesChanged(deletedObject(deleted)),
    });
    this.#rules?.addEventHandler({
      onAdd: (rule) => this.#ruleChanged(rule),
      onUpdate: (old, rule) => {
        if (old.metadata.uid !== rule.metadata.uid) this.#evictedBy.delete(old.metadata.uid ?? '');
        else if (semanticEqual(old.spec, rule.spec)) return;
        this.#ruleChanged(rule);
      },
      onDelete: (deleted) => {
        const rule = deletedObject(deleted);
        this.#evictedBy.delete(rule.metadata.uid ?? '');
        this.#ruleChanged(rule);
      },
    });
  }

  #enqueuePod(key: string): void {
    this.#loop.queue.add(`pod:${key}`);
  }

  #enqueueUsers({ metadata, status }: ResourceClaim): void {
    for (const { apiGroup, resource, name: user } of status?.reservedFor ?? []) {
      if (!apiGroup && resource === 'pods') this.#enqueuePod(`${metadata.namespace}/${user}`);
    }
  }

  /** Queues the pods that use the pools if any of the old or new slices has a taint, including slices of outdated generations. */
  #slicesChanged(...changed: ResourceSlice[]): void {
    const pools = new Set(changed.map(({ spec }) => poolKey(spec.driver, spec.pool.name)));
    for (const pool of pools) {
      const slices = [...this.#slices.indexer.byIndex(poolIndex, pool), ...changed];
      if (!slices.some(isTainted)) continue;
      for (const claim of this.#claims.indexer.byIndex(poolIndex, pool)) this.#enqueueUsers(claim);
    }
  }

  /** Rules are few and change rarely, so all pods with claims are queued. The rule is queued first and reports the pending evictions. */
  #ruleChanged(rule: DeviceTaintRule): void {
    this.#loop.queue.add(`rule:${rule.metadata.name}`);
    for (const claim of this.#claims.indexer.values()) this.#enqueueUsers(claim);
  }

  async #syncPod(key: string): Promise<ReconcileResult | undefined> {
    const pod = this.#pods.indexer.getByKey(key);
    const { uid = '' } = pod?.metadata ?? {};
    if (this.#waiting.has(key) && this.#waiting.get(key) !== uid) this.#waiting.delete(key);
    if (!pod || this.#evicted.get(uid)) return;
    const eviction = this.#podEviction(pod, this.#sources(this.#evictingRules()));
    if (!eviction) {
      if (this.#waiting.delete(key)) this.#tell(pod, 'Cancelling deletion');
      return;
    }
    this.#waiting.set(key, uid);
    for (const rule of eviction.rules) this.#loop.queue.addAfter(`rule:${rule.metadata.name}`, ruleStatusPeriodMs);
    const leftMs = eviction.atMs - this.#context.clock.now();
    if (leftMs > 0) return { requeueAfterMs: leftMs };
    await this.#evict(pod, eviction);
    this.#evicted.set(uid, true);
    this.#waiting.delete(key);
  }

  async #evict({ metadata: { namespace, name: podName = '', uid } }: Pod, { rules }: Eviction): Promise<void> {
    try {
      const pod = await this.#context.clients.core.v1.pods(namespace ?? '').get(podName);
      if (pod.metadata.uid !== uid) return;
      if (!pod.metadata.deletionTimestamp) {
        this.#tell(pod, 'Marking for deletion');
        await evictPod(this.#context, pod, {
          reason: 'DeletionByDeviceTaintManager',
          message: 'Device Taint manager: deleting due to NoExecute taint',
        });
      }
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return;
    }
    for (const { metadata } of rules) {
      this.#evictedBy.set(metadata.uid ?? '', (this.#evictedBy.get(metadata.uid ?? '') ?? 0) + 1);
      this.#loop.queue.addAfter(`rule:${metadata.name}`, ruleStatusPeriodMs);
    }
  }

  #tell(pod: Pod, message: string): void {
    const { namespace = '', name: podName = '', uid = '' } = pod.metadata;
    const reference = { apiVersion: 'v1', kind: 'Pod', namespace, name: podName, uid };
    this.#recorder.event(reference, 'Normal', 'DeviceTaintManagerEviction', message);
  }

  /** Returns when the pod has to be evicted because of any of its claims. */
  #podEviction(pod: Pod, sources: DeviceTaintSources): Eviction | undefined {
    if (!pod.spec?.nodeName) return undefined;
    let eviction: Eviction | undefined;
    for (const reference of pod.spec.resourceClaims ?? []) {
      const found = lookUpClaim(pod, reference);
      if (found.is !== 'named') continue;
      const claim = this.#claims.indexer.getByKey(`${pod.metadata.namespace}/${found.name}`);
      if (!claim || (found.isGenerated && !isClaimForPod(claim, pod))) continue;
      if (!claim.status?.reservedFor?.some(({ uid }) => uid === pod.metadata.uid)) continue;
      eviction = earlier(eviction, claimEviction(claim, sources));
    }
    return eviction;
  }

  #sources(rules: readonly DeviceTaintRule[]): DeviceTaintSources {
    return { rules, slicesOf: (driver, pool) => this.#slices.indexer.byIndex(poolIndex, poolKey(driver, pool)) };
  }

  #evictingRules(): DeviceTaintRule[] {
    return this.#rules?.indexer.list().filter(({ spec }) => spec.taint.effect === 'NoExecute') ?? [];
  }

  async #syncRule(ruleName: string): Promise<ReconcileResult | undefined> {
    const rule = this.#rules?.indexer.getByKey(ruleName);
    if (!rule) return;
    const known = findStatusCondition(rule.status?.conditions, conditionType);
    const now = this.#context.clock.now();
    if (known && known.observedGeneration === rule.metadata.generation) {
      const sinceMs = now - Date.parse(known.lastTransitionTime);
      if (sinceMs < ruleStatusPeriodMs) return { requeueAfterMs: ruleStatusPeriodMs - sinceMs };
    }
    const wanted = ruleCondition(rule, this.#effectsOf(rule));
    const { status, reason, message, observedGeneration } = known ?? {};
    const isSame = semanticEqual({ type: conditionType, status, reason, message, observedGeneration }, wanted);
    if (isSame) return;
    const condition = { ...wanted, lastTransitionTime: timeFromDate(new Date(now)) };
    await this.#context.clients.resource.v1beta2
      .deviceTaintRules()
      .apply(
        { metadata: { name: ruleName, uid: rule.metadata.uid ?? '' }, status: { conditions: [condition] } },
        { fieldManager: name, force: true, subresource: 'status' },
      );
  }

  /** Computes the numbers for the rule's status. For a rule with effect None, as if the effect were NoExecute. */
  #effectsOf(rule: DeviceTaintRule): RuleEffects {
    const { effect } = rule.spec.taint;
    const isSimulated = effect === 'None';
    const evicting: DeviceTaintRule = {
      ...rule,
      spec: { ...rule.spec, taint: { ...rule.spec.taint, effect: 'NoExecute' } },
    };
    const pending =
      effect === 'NoExecute' || isSimulated
        ? this.#pendingPods(rule, isSimulated ? [evicting] : this.#evictingRules())
        : [];
    return {
      pendingPods: pending.length,
      namespaces: new Set(pending.map(({ metadata }) => metadata.namespace)).size,
      evictedPods: this.#evictedBy.get(rule.metadata.uid ?? '') ?? 0,
      ...(isSimulated ? this.#selectedDevices(rule) : { publishedDevices: 0, allocatedDevices: 0 }),
    };
  }

  #pendingPods(rule: DeviceTaintRule, rules: readonly DeviceTaintRule[]): Pod[] {
    const sources = this.#sources(rules);
    return this.#pods.indexer.list().filter((pod) => {
      if (pod.metadata.deletionTimestamp) return false;
      const reasons = this.#podEviction(pod, sources)?.rules ?? [];
      return [...reasons].some(({ metadata }) => metadata.uid === rule.metadata.uid);
    });
  }

  #selectedDevices(rule: DeviceTaintRule): Pick<RuleEffects, 'publishedDevices' | 'allocatedDevices'> {
    const pools = new Set(this.#slices.indexer.list().map(({ spec }) => poolKey(spec.driver, spec.pool.name)));
    const published = [...pools]
      .flatMap((pool) => currentSlices(this.#slices.indexer.byIndex(poolIndex, pool)))
      .flatMap(({ spec: { driver, pool, devices } }) =>
        (devices ?? []).map(({ name: device }) => ({ driver, pool: pool.name, device })),
      );
    const allocated = this.#claims.indexer.list().flatMap(({ status }) => status?.allocation?.devices?.results ?? []);
    return {
      publishedDevices: published.filter((device) => isSelected(rule, device)).length,
      allocatedDevices: allocated.filter((device) => isSelected(rule, device)).length,
    };
  }
}

const poolKey = (driver: string, pool: string): string => `${driver}/${pool}`;

const poolsOf = ({ status }: ResourceClaim): string[] => [
  ...new Set((status?.allocation?.devices?.results ?? []).map(({ driver, pool }) => poolKey(driver, pool))),
];

const isTainted = ({ spec }: ResourceSlice): boolean =>
  spec.devices?.some(({ taints }) => taints?.some(({ effect }) => effect === 'NoExecute')) ?? false;
