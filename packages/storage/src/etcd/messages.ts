import {
  bool,
  bytes,
  id,
  int64,
  type Message,
  type MessageOf,
  many,
  message,
  one,
  text,
} from '@coxswain/grpc/protobuf';

/**
 * The messages of etcd's gRPC interface that are used here, with only the fields that are used. The field numbers are
 * etcd's. Some keys are strings and some are bytes, whichever the caller has: the encoding is the same.
 */

const ResponseHeader = message({ revision: int64(3) });

const KeyValue = message({ key: text(1), createRevision: int64(2), modRevision: int64(3), value: bytes(5) });
export type WireKeyValue = MessageOf<typeof KeyValue>;

const Event = message({ type: int64(1), kv: one(2, KeyValue), prevKv: one(3, KeyValue) });
export type WireEvent = MessageOf<typeof Event>;

/** The `Event.type` of a deletion. That of a put is 0, which is omitted. */
export const deleteEvent = 1;

export const RangeRequest = message({
  key: bytes(1),
  rangeEnd: bytes(2),
  limit: int64(3),
  revision: int64(4),
  keysOnly: bool(8),
  countOnly: bool(9),
});
export type RangeRequest = MessageOf<typeof RangeRequest>;

export const RangeResponse = message({ header: one(1, ResponseHeader), kvs: many(2, KeyValue), count: int64(4) });
export type RangeResponse = MessageOf<typeof RangeResponse>;

const PutRequest = message({ key: bytes(1), value: bytes(2), lease: id(3) });

const DeleteRangeRequest = message({ key: bytes(1), rangeEnd: bytes(2) });

const RequestOp = message({
  requestRange: one(1, RangeRequest),
  requestPut: one(2, PutRequest),
  requestDeleteRange: one(3, DeleteRangeRequest),
});
export type RequestOp = MessageOf<typeof RequestOp>;

const ResponseOp = message({ responseRange: one(1, RangeResponse) });

/** The `Compare.target` for the modRevision. `result` is omitted, since "equal" is 0. */
export const compareModRevision = 2;

const Compare = message({ target: int64(2), key: bytes(3), modRevision: int64(6) });

const TxnRequest = message({ compare: many(1, Compare), success: many(2, RequestOp), failure: many(3, RequestOp) });

const TxnResponse = message({ header: one(1, ResponseHeader), succeeded: bool(2), responses: many(3, ResponseOp) });

const CompactionRequest = message({ revision: int64(1) });

const CompactionResponse = message({ header: one(1, ResponseHeader) });

const LeaseGrantRequest = message({ ttl: int64(1) });

const LeaseGrantResponse = message({ id: id(2), ttl: int64(3) });

const StatusRequest = message({});

const StatusResponse = message({ version: text(2) });

const WatchCreateRequest = message({
  key: bytes(1),
  rangeEnd: bytes(2),
  startRevision: int64(3),
  progressNotify: bool(4),
  prevKv: bool(6),
  fragment: bool(8),
});

const WatchProgressRequest = message({});

export const WatchRequest = message({
  createRequest: one(1, WatchCreateRequest),
  progressRequest: one(3, WatchProgressRequest),
});
export type WatchRequest = MessageOf<typeof WatchRequest>;

export const WatchResponse = message({
  header: one(1, ResponseHeader),
  created: bool(3),
  canceled: bool(4),
  compactRevision: int64(5),
  cancelReason: text(6),
  fragment: bool(7),
  events: many(11, Event),
});
export type WatchResponse = MessageOf<typeof WatchResponse>;

/** A method of etcd's gRPC interface. */
export interface Method<Request, Response> {
  readonly path: string;
  readonly request: Message<Request>;
  readonly response: Message<Response>;
}

const method = <Request, Response>(
  path: string,
  request: Message<Request>,
  response: Message<Response>,
): Method<Request, Response> => ({ path: `/etcdserverpb.${path}`, request, response });

export const methods = {
  range: method('KV/Range', RangeRequest, RangeResponse),
  txn: method('KV/Txn', TxnRequest, TxnResponse),
  compact: method('KV/Compact', CompactionRequest, CompactionResponse),
  leaseGrant: method('Lease/LeaseGrant', LeaseGrantRequest, LeaseGrantResponse),
  status: method('Maintenance/Status', StatusRequest, StatusResponse),
  watch: method('Watch/Watch', WatchRequest, WatchResponse),
};
