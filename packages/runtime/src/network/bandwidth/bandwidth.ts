import { Quantity } from '@coxswain/apimachinery/quantity';

/** Limits of the traffic of a pod, in bits a second. */
export interface Bandwidth {
  /** To the pod. */
  readonly ingressRate?: number | undefined;
  /** From the pod. */
  readonly egressRate?: number | undefined;
}

const smallest = Quantity.parse('1k');
const largest = Quantity.parse('1P');

/** The limits in the annotations of a pod. Undefined if there are none. */
export function bandwidthOf(annotations: Readonly<Record<string, string>>): Bandwidth | undefined {
  const ingressRate = rateOf(annotations['kubernetes.io/ingress-bandwidth']);
  const egressRate = rateOf(annotations['kubernetes.io/egress-bandwidth']);
  return ingressRate === undefined && egressRate === undefined ? undefined : { ingressRate, egressRate };
}

function rateOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  try {
    const rate = Quantity.parse(text);
    if (rate.cmp(smallest) < 0) throw new Error('resource is unreasonably small (< 1kbit)');
    if (rate.cmp(largest) > 0) throw new Error('resource is unreasonably large (> 1Pbit)');
    return rate.value();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`reading pod bandwidth annotations: ${reason}`, { cause: error });
  }
}
