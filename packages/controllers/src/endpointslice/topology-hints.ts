import type { Node, Service } from '@coxswain/api/core/v1';
import type { Endpoint, EndpointSlice } from '@coxswain/api/discovery/v1';
import type { EventType } from '@coxswain/client';
import { isReady } from './endpoint.ts';
import type { SlicePlan } from './slice-plan.ts';
import { removeHints, withHints } from './traffic-distribution.ts';
import { type Allocation, allocations, isOverloaded, type ZoneRatios, zoneRatios } from './zone-capacity.ts';

/** An event to record on the service. */
export interface Notice {
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
}

/** Whether the service requests hints by annotation. The deprecated annotation takes precedence. */
export function wantsTopologyHints({ metadata: { annotations } }: Service): boolean {
  const mode =
    annotations?.['service.kubernetes.io/topology-aware-hints'] ?? annotations?.['service.kubernetes.io/topology-mode'];
  return mode === 'Auto' || mode === 'auto';
}

type Counts = Map<string, number>;

/** Distributes services' endpoints to zones in proportion to the CPU of the zones' nodes. */
export class TopologyHints {
  readonly #nodes: () => Iterable<Node>;
  /** Computed on demand; null when it has to be computed again. */
  #ratios: ZoneRatios | undefined | null = null;
  /** The number of endpoints hinted to each zone, by service and then by address type. */
  readonly #hinted = new Map<string, Map<string, Counts>>();
  /** Services with hints for which the enabled event was returned. */
  readonly #enabled = new Set<string>();

  constructor(nodes: () => Iterable<Node>) {
    this.#nodes = nodes;
  }

  nodesChanged(): void {
    this.#ratios = null;
  }

  /** Returns the services with overloaded zones. */
  overloadedServices(): string[] {
    const overloaded = [...this.#hinted].filter(([, byType]) =>
      [...byType.values()].some((counts) => isOverloaded(counts, this.#zoneRatios())),
    );
    return overloaded.map(([serviceKey]) => serviceKey);
  }

  isEnabled(serviceKey: string): boolean {
    return this.#enabled.has(serviceKey);
  }

  forget(serviceKey: string, addressType: string): void {
    const byType = this.#hinted.get(serviceKey);
    byType?.delete(addressType);
    if (byType?.size === 0) this.#hinted.delete(serviceKey);
    this.#enabled.delete(serviceKey);
  }

  /** Must be called when the service is deleted. */
  forgetService(serviceKey: string): void {
    this.#hinted.delete(serviceKey);
    this.#enabled.delete(serviceKey);
  }

  /** Returns the plan with hints, or without any when they cannot be assigned. */
  hint(serviceKey: string, addressType: string, plan: SlicePlan): { plan: SlicePlan; notices: Notice[] } {
    const all = [...plan.create, ...plan.update, ...plan.unchanged];
    const ready = all.reduce((count, { endpoints }) => count + (endpoints ?? []).filter(isReady).length, 0);
    const shares = allocations(this.#zoneRatios(), ready);
    const result = typeof shares === 'string' ? shares : hintByShare(plan, shares);
    if (typeof result === 'string') {
      this.forget(serviceKey, addressType);
      return { plan: removeHints(plan), notices: [disabled(result, addressType)] };
    }
    const notices = this.#enabled.has(serviceKey) ? [] : [enabled(addressType)];
    const byType = this.#hinted.get(serviceKey) ?? new Map<string, Counts>();
    this.#hinted.set(serviceKey, byType.set(addressType, result.counts));
    this.#enabled.add(serviceKey);
    return { plan: result.plan, notices };
  }

  #zoneRatios(): ZoneRatios | undefined {
    if (this.#ratios === null) this.#ratios = zoneRatios(this.#nodes());
    return this.#ratios;
  }
}

export const disabled = (why: string, addressType: string): Notice => ({
  type: 'Warning',
  reason: 'TopologyAwareHintsDisabled',
  message: `${why}, addressType: ${addressType}`,
});

const enabled = (addressType: string): Notice => ({
  type: 'Normal',
  reason: 'TopologyAwareHintsEnabled',
  message: `Topology Aware Hints has been enabled, addressType: ${addressType}`,
});

/** Returns the hinted plan, or an error message when hints cannot be assigned. */
function hintByShare(
  plan: SlicePlan,
  shares: ReadonlyMap<string, Allocation>,
): { plan: SlicePlan; counts: Counts } | string {
  const counts: Counts = new Map();
  const unchanged: EndpointSlice[] = [];
  const update = [...plan.update];
  for (const slice of plan.unchanged) {
    const hinted = validHints(slice, counts, shares);
    if (hinted) for (const [zone, count] of hinted) add(counts, zone, count);
    (hinted ? unchanged : update).push(slice);
  }

  const open = [...plan.create, ...update];
  if (open.some(({ endpoints }) => endpoints?.some((it) => isReady(it) && !it.zone))) {
    return 'One or more endpoints do not have a zone specified';
  }
  for (const { endpoints } of open) for (const it of endpoints ?? []) if (isReady(it)) add(counts, it.zone!, 1);
  const { giving, receiving } = exchange(shares, counts);
  const zoneFor = (own: string): string => {
    if (!giving.get(own)) return own;
    const to = receiving.keys().next().value;
    if (to === undefined) return own;
    take(giving, own);
    take(receiving, to);
    add(counts, own, -1);
    add(counts, to, 1);
    return to;
  };
  const hint = (endpoint: Endpoint): Endpoint =>
    isReady(endpoint) ? withHints(endpoint, { forZones: [{ name: zoneFor(endpoint.zone!) }] }) : endpoint;
  const hinted = (slice: EndpointSlice): EndpointSlice => ({ ...slice, endpoints: (slice.endpoints ?? []).map(hint) });
  const create = plan.create.map(hinted);
  const updated = update.map(hinted);
  if (counts.size === 0) return 'No hints allocated for zones';
  return { plan: { create, update: updated, delete: plan.delete, unchanged }, counts };
}

/** Counts the slice's endpoints by hinted zone. Returns undefined when the hints are no longer valid. */
function validHints(
  { endpoints }: EndpointSlice,
  others: Counts,
  shares: ReadonlyMap<string, Allocation>,
): Counts | undefined {
  const counts: Counts = new Map();
  for (const { hints } of (endpoints ?? []).filter(isReady)) {
    if (!hints?.forZones?.length) return undefined;
    for (const { name } of hints.forZones) add(counts, name, 1);
  }
  for (const [zone, count] of counts) {
    const share = shares.get(zone);
    if (!share || count + (others.get(zone) ?? 0) > share.maximum) return undefined;
  }
  return counts;
}

/** Returns how many endpoints zones with too many give away and zones with too few receive. */
function exchange(shares: ReadonlyMap<string, Allocation>, counts: Counts): { giving: Counts; receiving: Counts } {
  const surplus = [...shares].map(([zone, { desired }]) => ({ zone, by: (counts.get(zone) ?? 0) - desired }));
  const givers = surplus.filter(({ by }) => by > 0);
  const receivers = surplus.filter(({ by }) => by < 0).map(({ zone, by }) => ({ zone, by: -by }));
  const giving: Counts = new Map();
  const receiving: Counts = new Map();
  for (;;) {
    const [giver, receiver] = [most(givers), most(receivers)];
    if (!giver || !receiver || (giver.by < 1 && receiver.by < 1) || giver.by < 0.5 || receiver.by < 0.5) break;
    add(giving, giver.zone, 1);
    add(receiving, receiver.zone, 1);
    giver.by--;
    receiver.by--;
  }
  return { giving, receiving };
}

const most = <T extends { by: number }>(zones: readonly T[]): T | undefined =>
  zones.reduce<T | undefined>((best, zone) => (best && best.by >= zone.by ? best : zone), undefined);

const add = (counts: Counts, zone: string, by: number): Counts => counts.set(zone, (counts.get(zone) ?? 0) + by);

function take(counts: Counts, zone: string): void {
  const left = (counts.get(zone) ?? 0) - 1;
  if (left > 0) counts.set(zone, left);
  else counts.delete(zone);
}
