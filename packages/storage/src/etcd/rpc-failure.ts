import type { ServiceError } from '@grpc/grpc-js';

/** The kinds of failed calls, by how the caller must react. */
export type RpcFailure =
  | 'compacted'
  | 'future'
  | 'too-large'
  | 'lease-not-found'
  /** etcd's database is full. */
  | 'full'
  /** The member did not carry it out; another member may. */
  | 'not-done'
  /** It is unknown whether it was carried out. */
  | 'unknown'
  /** It was refused, and a retry would be refused too. */
  | 'refused';

/** gRPC's status codes. */
const codes = {
  cancelled: 1,
  unknown: 2,
  deadlineExceeded: 4,
  resourceExhausted: 8,
  aborted: 10,
  internal: 13,
  unavailable: 14,
};

const uncertain = new Set([
  codes.cancelled,
  codes.unknown,
  codes.deadlineExceeded,
  codes.aborted,
  codes.internal,
  codes.unavailable,
]);

/** By etcd's error messages, which are more specific than the status codes. */
const byDetails: Readonly<Record<string, RpcFailure>> = {
  'etcdserver: mvcc: required revision has been compacted': 'compacted',
  'etcdserver: mvcc: required revision is a future revision': 'future',
  'etcdserver: request is too large': 'too-large',
  'etcdserver: requested lease not found': 'lease-not-found',
  'etcdserver: mvcc: database space exceeded': 'full',
  'etcdserver: no leader': 'not-done',
  'etcdserver: not leader': 'not-done',
  'etcdserver: too many requests': 'not-done',
  'etcdserver: rpc not supported for learner': 'not-done',
};

export function rpcFailure(error: ServiceError): RpcFailure {
  const known = Object.hasOwn(byDetails, error.details) ? byDetails[error.details] : undefined;
  if (known !== undefined) return known;
  if (error.code === codes.resourceExhausted && error.details.includes('larger than max')) return 'too-large';
  return uncertain.has(error.code) ? 'unknown' : 'refused';
}
