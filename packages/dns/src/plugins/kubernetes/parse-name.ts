import { labelsOf } from '../../wire/index.ts';

/** What a name below a cluster's zone asks for. */
export type NameRequest =
  /** The zone, `svc` or `pod` below it: they exist without records. */
  | { readonly kind: 'apex' }
  /** A name that cannot stand for anything. */
  | { readonly kind: 'invalid' }
  | {
      readonly kind: 'svc' | 'pod';
      readonly namespace: string;
      /** The Service, or the address of a pod; empty for a namespace. */
      readonly name: string;
      readonly endpoint: string;
      /** Without the underscore; empty for all. */
      readonly port: string;
      readonly protocol: string;
    };

/** Parses a name in lower case that is in the zone, by the Kubernetes DNS specification. */
export function parseName(name: string, zone: string): NameRequest {
  const base = zone === '.' ? name : name.slice(0, -zone.length);
  const labels = labelsOf(base);
  const kind = labels.pop();
  if (kind === undefined) return { kind: 'apex' };
  if (kind !== 'svc' && kind !== 'pod') return { kind: 'invalid' };
  const namespace = labels.pop();
  if (namespace === undefined) return { kind: 'apex' };
  const request: NameRequest = { kind, namespace, name: labels.pop() ?? '', endpoint: '', port: '', protocol: '' };
  const [first = '', second = ''] = labels;
  switch (labels.length) {
    case 0:
      return request;
    case 1:
      return { ...request, endpoint: first };
    case 2:
      return { ...request, port: withoutUnderscore(first), protocol: withoutUnderscore(second) };
    default:
      return { kind: 'invalid' };
  }
}

const withoutUnderscore = (label: string): string => (label.startsWith('_') ? label.slice(1) : label);
