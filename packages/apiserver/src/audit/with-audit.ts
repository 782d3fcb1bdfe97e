import type { UserInfo } from '@coxswain/api';
import {
  ApiError,
  isJsonObject,
  isUnauthorized,
  microTimeFromDate,
  newInternalError,
  type Status,
  stringifyJson,
  toStatus,
} from '@coxswain/apimachinery';
import type { ApiResponse } from '@coxswain/component-base/http';
import { headerOf } from '@coxswain/component-base/http';
import { hasAcceptableParts } from '../endpoints/request-body.ts';
import { attributesOf, type Filter, isLongRunning, type RequestState } from '../filters/index.ts';
import { inTurns } from '../turns/turns.ts';
import type { ObjectReference } from './audit-event.ts';
import type { AuditSink } from './audit-log.ts';
import {
  deleteOptions,
  type ObjectFormats,
  patchText,
  requestObject,
  responseObject,
  withoutManagedFields,
} from './audit-objects.ts';
import type { AuditDecision, AuditPolicy, AuditStage } from './audit-policy.ts';
import { RecordedRequest } from './recorded-request.ts';
import { bytesOf, isOpen, recordEnd } from './recorded-response.ts';
import { sourceIPs } from './source-ips.ts';

/** The audit policy, and where events are written. */
export interface Audit {
  readonly policy: AuditPolicy;
  readonly log: AuditSink;
}

export interface AuditOptions extends Audit, ObjectFormats {
  readonly now: () => Date;
}

const maxUserAgentLength = 1024;
/** A Status is always shorter. Longer bodies are not parsed for one. */
const maxStatusBytes = 256 * 1024;

/** Records requests and their responses, as the policy decides. Follows the authentication filter. */
export function withAudit(options: AuditOptions): Filter {
  return (next) => async (state) => {
    const decision = options.policy.decide(attributesOf(state));
    if (decision.level === 'None') return next(state);
    const record = new AuditRecord(state, decision, options);
    try {
      await record.write('RequestReceived');
    } catch (cause) {
      throw newInternalError(new Error('failed to store audit event', { cause }));
    }
    record.readRequest();
    let response: ApiResponse;
    try {
      response = await next(state);
    } catch (error) {
      await record.writeFailure(error);
      throw error;
    }
    return record.writeResponse(response);
  };
}

/** Records requests that fail authentication. Precedes the authentication filter. */
export function withFailedAuthenticationAudit(options: AuditOptions): Filter {
  return (next) => async (state) => {
    try {
      return await next(state);
    } catch (error) {
      // `withAudit` records the requests of authenticated users.
      if (isUnauthorized(error) && !state.user.username) {
        const decision = options.policy.decide(attributesOf(state));
        if (decision.level !== 'None') await new AuditRecord(state, decision, options).writeRefusal(error);
      }
      throw error;
    }
  };
}

/** Collects the data of one request, and writes its events. */
class AuditRecord {
  readonly #state: RequestState;
  readonly #decision: AuditDecision;
  readonly #options: AuditOptions;
  readonly #user: UserInfo;
  readonly #received: string;
  #recorded: RecordedRequest | undefined;
  #objectRef: ObjectReference | undefined;
  #requestObject: string | undefined;
  #responseObject: string | undefined;
  #responseStatus: Partial<Status> | undefined;

  constructor(state: RequestState, decision: AuditDecision, options: AuditOptions) {
    this.#state = state;
    this.#decision = decision;
    this.#options = options;
    // Impersonation replaces `state.user` later.
    this.#user = state.user;
    this.#received = microTimeFromDate(options.now());
    const { info } = state;
    if (info.isResourceRequest) {
      const { resource, subresource, namespace, name, apiGroup, apiVersion } = info;
      this.#objectRef = { resource, namespace, name, uid: '', apiGroup, apiVersion, resourceVersion: '', subresource };
    }
  }

  /** Rejects only in the mode `blocking-strict`. */
  async write(stage: AuditStage): Promise<void> {
    const { level, omitStages } = this.#decision;
    if (omitStages.has(stage)) return;
    const { request, info, user, impersonator, impersonationConstraint, auditId } = this.#state;
    await this.#options.log.record({
      level,
      auditID: auditId,
      stage,
      requestURI: request.search === '' ? request.path : `${request.path}?${request.search}`,
      verb: info.verb,
      user: this.#user,
      ...(impersonator && { impersonatedUser: user }),
      ...(impersonationConstraint && { impersonationConstraint }),
      sourceIPs: sourceIPs(request),
      userAgent: userAgent(headerOf(request, 'user-agent')),
      ...(this.#objectRef && { objectRef: this.#objectRef }),
      ...(this.#responseStatus && { responseStatus: this.#responseStatus }),
      ...(this.#requestObject !== undefined && { requestObject: this.#requestObject }),
      ...(this.#responseObject !== undefined && { responseObject: this.#responseObject }),
      requestReceivedTimestamp: this.#received,
      stageTimestamp: stage === 'RequestReceived' ? this.#received : microTimeFromDate(this.#options.now()),
      annotations: this.#annotations(),
    });
  }

  #annotations(): ReadonlyMap<string, string> {
    const { annotations, detailedAnnotations } = this.#state;
    if (detailedAnnotations.size === 0 || this.#has('Request')) return annotations;
    return new Map([...annotations].filter(([key]) => !detailedAnnotations.has(key)));
  }

  /** Wraps the request so that its body is kept when it is read, where the events need it. */
  readRequest(): void {
    const { info, request } = this.#state;
    if (!info.isResourceRequest) return;
    const named = info.verb === 'create' || info.verb === 'update';
    const changing = named || info.verb === 'patch' || info.verb.startsWith('delete');
    if (!changing || (!named && !this.#has('Request'))) return;
    this.#recorded = new RecordedRequest(request);
    this.#state.request = this.#recorded;
  }

  async writeFailure(error: unknown): Promise<void> {
    await this.#takeRequest();
    if (isBug(error)) {
      const message = `APIServer panic'd: ${error.message}`;
      this.#responseStatus = { status: 'Failure', reason: 'InternalError', message, code: 500 };
      await this.#writeQuietly('Panic');
      return;
    }
    this.#takeStatus(toStatus(error));
    if (isLongRunning(this.#state.info)) await this.#writeQuietly('ResponseStarted');
    await this.#writeQuietly('ResponseComplete');
  }

  async writeRefusal(error: unknown): Promise<void> {
    this.#takeStatus(toStatus(error));
    await this.#writeQuietly('ResponseStarted');
  }

  async writeResponse(response: ApiResponse): Promise<ApiResponse> {
    const { info, request } = this.#state;
    await this.#takeRequest();
    const code = 'upgrade' in (response.body ?? {}) ? 101 : response.status;
    this.#responseStatus = { code };
    const contentType = headerOf(response as { headers: Record<string, string> }, 'content-type');
    const longRunning = isLongRunning(info);
    const bytes = bytesOf(response.body);
    if (bytes) this.#takeResponse(bytes, contentType);
    if (longRunning) await this.#writeQuietly('ResponseStarted');
    if (!isOpen(response.body) || request.method === 'HEAD') {
      await this.#writeQuietly('ResponseComplete');
      return response;
    }
    let isComplete = false;
    const complete = (body?: Uint8Array): void => {
      if (isComplete) return;
      isComplete = true;
      if (body) this.#takeResponse(body, contentType);
      void this.#writeQuietly('ResponseComplete');
    };
    // When the client disconnects early, the transport may never start the body.
    const { signal } = request;
    if (signal.aborted) complete();
    else signal.addEventListener('abort', () => complete(), { once: true });
    const recorded = !longRunning && this.#has('RequestResponse');
    return { ...response, body: recordEnd(response.body, recorded, complete) };
  }

  /** Ignores failures, which the log reports itself: it is too late to reject the request. */
  async #writeQuietly(stage: AuditStage): Promise<void> {
    await this.write(stage).catch(() => {});
  }

  #has(level: 'Request' | 'RequestResponse'): boolean {
    return this.#decision.level === level || this.#decision.level === 'RequestResponse';
  }

  /** Differs from upstream: the body of a request that was rejected for having too many parts is not recorded. */
  async #takeRequest(): Promise<void> {
    const body = this.#recorded?.body;
    if (!body || !hasAcceptableParts(body)) return;
    const { verb } = this.#state.info;
    const { turns } = this.#state;
    if (verb === 'patch') this.#requestObject = await inTurns(turns, patchText(body));
    else if (verb.startsWith('delete')) this.#requestObject = this.#text(await inTurns(turns, deleteOptions(body)));
    else {
      const object = await inTurns(turns, requestObject(body, this.#options));
      if (!object) return;
      this.#completeReference(object);
      if (this.#has('Request')) this.#requestObject = this.#text(object);
    }
  }

  /** Fills fields of the object reference that the path leaves empty from the object's metadata. */
  #completeReference({ metadata }: Record<string, unknown>): void {
    if (!this.#objectRef || !isJsonObject(metadata)) return;
    const said = (field: 'name' | 'namespace' | 'uid' | 'resourceVersion'): string => {
      const value = metadata[field];
      return this.#objectRef?.[field] || (typeof value === 'string' ? value : '');
    };
    this.#objectRef = {
      ...this.#objectRef,
      name: said('name'),
      namespace: said('namespace'),
      uid: said('uid'),
      resourceVersion: said('resourceVersion'),
    };
  }

  #takeResponse(body: Uint8Array, contentType: string): void {
    const recorded = this.#has('RequestResponse') && this.#state.info.verb !== 'watch';
    if (!recorded && body.length > maxStatusBytes) return;
    const object = responseObject(body, contentType, this.#options);
    if (!object) return;
    if (object.kind === 'Status') this.#responseStatus = { ...object, code: this.#responseStatus?.code };
    if (recorded) this.#responseObject = this.#text(object);
  }

  #takeStatus(status: Status): void {
    this.#responseStatus = status;
    if (this.#has('RequestResponse'))
      this.#responseObject = stringifyJson({ kind: 'Status', apiVersion: 'v1', metadata: {}, ...status });
  }

  #text(object: Record<string, unknown> | undefined): string | undefined {
    return object && stringifyJson(this.#decision.omitManagedFields ? withoutManagedFields(object) : object);
  }
}

/** Whether the error is a programming error, which would be a panic in Go. */
const isBug = (error: unknown): error is Error =>
  !(error instanceof ApiError) &&
  (error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError);

const userAgent = (text: string): string =>
  text.length > maxUserAgentLength ? `${text.slice(0, maxUserAgentLength)}...TRUNCATED` : text;
