import type { UserInfo } from '@coxswain/api';
import { quote, type Status, stringifyJson } from '@coxswain/apimachinery';
import type { AuditLevel, AuditStage } from './audit-policy.ts';

/** One stage of one request: an audit.k8s.io/v1 Event. */
export interface AuditEvent {
  readonly level: AuditLevel;
  readonly auditID: string;
  readonly stage: AuditStage;
  readonly requestURI: string;
  readonly verb: string;
  /** The authenticated user, before impersonation. */
  readonly user: UserInfo;
  readonly impersonatedUser?: UserInfo;
  readonly impersonationConstraint?: string;
  readonly sourceIPs: readonly string[];
  readonly userAgent: string;
  readonly objectRef?: ObjectReference;
  readonly responseStatus?: Partial<Status>;
  /** JSON on one line. */
  readonly requestObject?: string;
  readonly responseObject?: string;
  /** With microseconds, as is `stageTimestamp`. */
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  readonly annotations: ReadonlyMap<string, string>;
}

/** The object a request is about. Empty fields are omitted from the JSON. */
export interface ObjectReference {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly resourceVersion: string;
  readonly subresource: string;
}

/** The event as one line of JSON, with its fields in upstream's order. */
export function jsonLine(event: AuditEvent): string {
  const { user, impersonatedUser, impersonationConstraint, annotations, requestObject, responseObject } = event;
  const head = stringifyJson({
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: event.level,
    auditID: event.auditID,
    stage: event.stage,
    requestURI: event.requestURI,
    verb: event.verb,
    user: userFields(user),
    impersonatedUser: impersonatedUser && userFields(impersonatedUser),
    authenticationMetadata: impersonationConstraint ? { impersonationConstraint } : undefined,
    sourceIPs: event.sourceIPs.length > 0 ? event.sourceIPs : undefined,
    userAgent: event.userAgent || undefined,
    objectRef: event.objectRef && withoutEmpty(event.objectRef),
    responseStatus: event.responseStatus && { metadata: {}, ...statusFields(event.responseStatus) },
  });
  const tail = stringifyJson({
    requestReceivedTimestamp: event.requestReceivedTimestamp,
    stageTimestamp: event.stageTimestamp,
    annotations: annotations.size > 0 ? Object.fromEntries([...annotations].sort(byKey)) : undefined,
  });
  const request = requestObject === undefined ? '' : `,"requestObject":${requestObject}`;
  const response = responseObject === undefined ? '' : `,"responseObject":${responseObject}`;
  return `${head.slice(0, -1)}${request}${response},${tail.slice(1)}\n`;
}

const byKey = ([a]: readonly [string, string], [b]: readonly [string, string]): number => (a < b ? -1 : 1);

const userFields = ({ username, uid, groups, extra }: UserInfo): object => ({
  username: username || undefined,
  uid: uid || undefined,
  groups: groups?.length ? groups : undefined,
  extra: extra && Object.keys(extra).length > 0 ? extra : undefined,
});

const statusFields = ({ status, message, reason, details, code }: Partial<Status>): object => ({
  status: status || undefined,
  message: message || undefined,
  reason: reason || undefined,
  details,
  code: code || undefined,
});

const withoutEmpty = ({ resource, namespace, name, uid, ...rest }: ObjectReference): object => ({
  resource: resource || undefined,
  namespace: namespace || undefined,
  name: name || undefined,
  uid: uid || undefined,
  apiGroup: rest.apiGroup || undefined,
  apiVersion: rest.apiVersion || undefined,
  resourceVersion: rest.resourceVersion || undefined,
  subresource: rest.subresource || undefined,
});

/** The event as one line in the format of `--audit-log-format=legacy`. */
export function legacyLine(event: AuditEvent): string {
  const { user, impersonatedUser, sourceIPs, objectRef, responseStatus } = event;
  const list = (items: readonly string[]): string => items.map(quote).join(',');
  const fields: Record<string, string> = {
    id: event.auditID,
    stage: event.stage,
    ip: sourceIPs[0] ?? '<unknown>',
    method: event.verb,
    user: user.username || '<none>',
    groups: user.username && user.groups?.length ? list(user.groups) : '<none>',
    as: impersonatedUser?.username ?? '<self>',
    asgroups: impersonatedUser?.groups ? list(impersonatedUser.groups) : '<lookup>',
    'user-agent': event.userAgent,
    namespace: objectRef?.namespace || '<none>',
    uri: event.requestURI,
    response: responseStatus ? String(responseStatus.code ?? 0) : '<deferred>',
  };
  const text = Object.entries(fields).map(([name, value]) => `${name}=${quote(value)}`);
  // Go prints fractions of a second without trailing zeros.
  const time = event.requestReceivedTimestamp.replace(/\.?0+Z$/, 'Z');
  return `${time} AUDIT: ${text.join(' ')}\n`;
}
