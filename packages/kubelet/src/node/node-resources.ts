import { Quantity } from '@coxswain/apimachinery/quantity';

/** What a machine has, as far as pods are given of it. */
export interface MachineResources {
  readonly cpus: number;
  readonly memoryBytes: number;
  /** Sizes of huge pages and how many there are of each. */
  readonly hugePages: readonly { readonly sizeBytes: number; readonly count: number }[];
  /** Size of the file system of the kubelet's directory; undefined if ephemeral storage is not reported. */
  readonly storageBytes: number | undefined;
}

/** Quantities by resource name. */
export type ResourceList = Readonly<Record<string, Quantity>>;

/** How many pods there may be. */
export interface PodLimits {
  readonly maxPods: number;
  /** 0 for no limit. */
  readonly podsPerCore: number;
}

/** What is kept from pods. */
export interface Reservations {
  readonly kube: ResourceList;
  readonly system: ResourceList;
  /** Thresholds by signal: `100Mi`, `10%`. */
  readonly evictionHard: Readonly<Record<string, string>>;
}

/** Returns the capacity of a node. */
export function nodeCapacity(machine: MachineResources, { maxPods, podsPerCore }: PodLimits): ResourceList {
  const { cpus, memoryBytes, hugePages, storageBytes } = machine;
  const pages = hugePages.map(({ sizeBytes, count }): [string, Quantity] => [
    `hugepages-${Quantity.of(sizeBytes, 'BinarySI')}`,
    Quantity.of(sizeBytes * count, 'BinarySI'),
  ]);
  return {
    cpu: Quantity.ofMilli(cpus * 1000),
    memory: Quantity.of(memoryBytes, 'BinarySI'),
    ...(storageBytes !== undefined && { 'ephemeral-storage': Quantity.of(storageBytes, 'BinarySI') }),
    ...Object.fromEntries(pages),
    pods: Quantity.of(podsPerCore > 0 ? Math.min(cpus * podsPerCore, maxPods) : maxPods),
  };
}

/** Returns what pods may have of the capacity: without reservations, and of memory without that of huge pages. */
export function nodeAllocatable(capacity: ResourceList, { kube, system, evictionHard }: Reservations): ResourceList {
  const evicted = hardEvictionReservation(evictionHard, capacity);
  const left = Object.entries(capacity).map(([name, total]): [string, Quantity] => {
    const reserved = [kube[name], system[name], evicted[name]].flatMap((quantity) => quantity ?? []);
    return [name, atLeastZero(reserved.reduce((rest, quantity) => rest.sub(quantity), total))];
  });
  const allocatable = Object.fromEntries(left);
  const pages = Object.entries(capacity).filter(([name]) => name.startsWith('hugepages-'));
  const { memory } = allocatable;
  return {
    ...allocatable,
    ...(memory && { memory: atLeastZero(pages.reduce((rest, [, quantity]) => rest.sub(quantity), memory)) }),
  };
}

/** Returns what all pods together may use before any is evicted: the capacity without reservations. */
export const enforcedAllocatable = (capacity: ResourceList, { kube, system }: Reservations): ResourceList =>
  Object.fromEntries(
    Object.entries(capacity).map(([name, total]): [string, Quantity] => {
      const reserved = [kube[name], system[name]].flatMap((quantity) => quantity ?? []);
      return [name, atLeastZero(reserved.reduce((rest, quantity) => rest.sub(quantity), total))];
    }),
  );

/** Throws an Error with upstream's message if more is reserved than there is. */
export function checkReservations(capacity: ResourceList, { kube, system, evictionHard }: Reservations): void {
  const evicted = hardEvictionReservation(evictionHard, capacity);
  const problems = Object.entries(capacity).flatMap(([name, total]) => {
    const reserved = [system[name], kube[name], evicted[name]]
      .flatMap((quantity) => quantity ?? [])
      .reduce((sum, quantity) => sum.add(quantity), Quantity.of(0));
    return reserved.cmp(total) > 0
      ? [
          `Resource "${name}" has a reservation of ${reserved} but capacity of ${total}. Expected capacity >= reservation.`,
        ]
      : [];
  });
  if (problems.length > 0) throw new Error(`invalid Node Allocatable configuration. ${problems.join(' ')}`);
}

const atLeastZero = (quantity: Quantity): Quantity =>
  quantity.sign() < 0 ? Quantity.of(0, quantity.format) : quantity;

/** The signals whose thresholds are kept free, and their resources. */
const reservedSignals: Readonly<Record<string, string>> = {
  'memory.available': 'memory',
  'nodefs.available': 'ephemeral-storage',
};

/** Returns what hard eviction thresholds keep free. */
function hardEvictionReservation(thresholds: Readonly<Record<string, string>>, capacity: ResourceList): ResourceList {
  const reserved = Object.entries(reservedSignals).flatMap(([signal, resource]): [string, Quantity][] => {
    const threshold = thresholds[signal];
    const total = capacity[resource];
    if (threshold === undefined || !total) return [];
    return [[resource, thresholdQuantity(threshold, total)]];
  });
  return Object.fromEntries(reserved);
}

function thresholdQuantity(threshold: string, total: Quantity): Quantity {
  if (!threshold.endsWith('%')) return Quantity.parse(threshold);
  // 0% and 100% turn a threshold off.
  if (threshold === '0%' || threshold === '100%') return Quantity.of(0, 'BinarySI');
  // As upstream computes it: percentages are single-precision numbers.
  const share = Math.fround(Math.fround(Number.parseFloat(threshold)) / 100);
  return Quantity.of(Math.trunc(total.value() * share), 'BinarySI');
}

const signals: readonly string[] = [
  ...['memory.available', 'allocatableMemory.available', 'pid.available'],
  ...['nodefs', 'imagefs', 'containerfs'].flatMap((name) => [`${name}.available`, `${name}.inodesFree`]),
];

/** Throws an Error with upstream's message for thresholds that make no sense. */
export function checkThresholds(thresholds: Readonly<Record<string, string>>): void {
  for (const [signal, threshold] of Object.entries(thresholds)) {
    if (!signals.includes(signal)) throw new Error(`unsupported eviction signal ${signal}`);
    if (threshold.endsWith('%')) checkPercentage(signal, threshold);
    else if (Quantity.parse(threshold).sign() <= 0)
      throw new Error(`eviction threshold ${signal} must be positive: ${Quantity.parse(threshold)}`);
  }
}

function checkPercentage(signal: string, threshold: string): void {
  const number = threshold.slice(0, -1);
  if (!/^[-+]?(\d+\.?\d*|\.\d+)$/.test(number))
    throw new Error(`strconv.ParseFloat: parsing "${number}": invalid syntax`);
  const percentage = Number(number);
  if (percentage < 0) throw new Error(`eviction percentage threshold ${signal} must be >= 0%: ${threshold}`);
  if (percentage > 100) throw new Error(`eviction percentage threshold ${signal} must be <= 100%: ${threshold}`);
}

const reservable: readonly string[] = ['cpu', 'memory', 'ephemeral-storage', 'pid'];

/** Parses `--kube-reserved` or `--system-reserved`. Throws an Error with upstream's message. */
export function parseReserved(texts: Readonly<Record<string, string>>): ResourceList {
  const quantities = Object.entries(texts).map(([name, text]): [string, Quantity] => {
    if (!reservable.includes(name)) throw new Error(`cannot reserve "${name}" resource`);
    return [name, parseQuantity(name, text)];
  });
  return Object.fromEntries(quantities);
}

function parseQuantity(name: string, text: string): Quantity {
  let quantity: Quantity;
  try {
    quantity = Quantity.parse(text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`failed to parse quantity "${text}" for "${name}" resource: ${reason}`, { cause });
  }
  if (quantity.sign() < 0) throw new Error(`resource quantity for "${name}" cannot be negative: ${text}`);
  return quantity;
}
