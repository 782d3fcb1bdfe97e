import type { FieldErrorType } from '../field/error.ts';
import type { ListMeta } from './list-meta.ts';
import type { TypeMeta } from './type-meta.ts';

/** The reasons that upstream gives for failures. The empty one means unknown. */
export type KnownStatusReason =
  | ''
  | 'Unauthorized'
  | 'Forbidden'
  | 'NotFound'
  | 'AlreadyExists'
  | 'Conflict'
  | 'Gone'
  | 'Invalid'
  | 'ServerTimeout'
  | 'StorageReadError'
  | 'Timeout'
  | 'TooManyRequests'
  | 'BadRequest'
  | 'MethodNotAllowed'
  | 'NotAcceptable'
  | 'RequestEntityTooLarge'
  | 'UnsupportedMediaType'
  | 'InternalError'
  | 'Expired'
  | 'ServiceUnavailable';

/** Other servers may send reasons of their own. */
export type StatusReason = KnownStatusReason | (string & {});

/** The response of an API call that fails, or that has no object to return. */
export interface Status extends TypeMeta {
  metadata?: ListMeta;
  status?: 'Success' | 'Failure' | (string & {});
  message?: string;
  reason?: StatusReason;
  details?: StatusDetails;
  code?: number;
}

export interface StatusDetails {
  name?: string;
  group?: string;
  /** The resource for most reasons, the kind for `Invalid`. */
  kind?: string;
  uid?: string;
  causes?: StatusCause[];
  retryAfterSeconds?: number;
}

export interface StatusCause {
  reason?: CauseType;
  message?: string;
  field?: string;
}

/** The type of a cause, mostly of an error in a field. Other servers may send types of their own. */
export type CauseType =
  | FieldErrorType
  | 'UnexpectedServerResponse'
  | 'FieldManagerConflict'
  | 'ResourceVersionTooLarge'
  | (string & {});
