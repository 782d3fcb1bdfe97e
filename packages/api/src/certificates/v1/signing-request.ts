import { Path, setOwnEntry, timeFromDate, validateObjectMeta } from '@coxswain/apimachinery';
import type { CertificateSigningRequest, CertificateSigningRequestCondition } from '../../generated/certificates/v1.ts';
import { humanDuration, translateTimestampSince } from '../../strategy/print.ts';
import type { Strategy, StrategyContext } from '../../strategy/strategy.ts';
import { columns } from '../../strategy/table.ts';
import { anyName, validateSigningRequest, validateSigningRequestUpdate } from './signing-request-validation.ts';

type Conditions = CertificateSigningRequestCondition[];

/** Sets the user fields of the spec to the requesting user, whatever the request contains. */
function recordUser(request: CertificateSigningRequest, { user }: StrategyContext): void {
  const { username: _, uid: __, groups: ___, extra: ____, ...spec } = request.spec;
  request.spec = spec;
  if (!user) return;
  if (user.username) request.spec.username = user.username;
  if (user.uid) request.spec.uid = user.uid;
  if (user.groups?.length) request.spec.groups = [...user.groups];
  const entries = Object.entries(user.extra ?? {});
  if (entries.length === 0) return;
  const extra: Record<string, string[]> = {};
  for (const [key, values] of entries) setOwnEntry(extra, key, [...values]);
  request.spec.extra = extra;
}

/**
 * Restores the old Approved and Denied conditions, which status updates must not change. If their number differs, the
 * given ones stay, and validation refuses them.
 */
function keepApproval(conditions: Conditions, old: Conditions): Conditions {
  let kept = conditions;
  for (const type of ['Approved', 'Denied']) {
    const before = old.filter((condition) => condition.type === type);
    if (kept.filter((condition) => condition.type === type).length !== before.length) continue;
    let next = 0;
    kept = kept.map((condition) => (condition.type === type ? before[next++]! : condition));
  }
  return kept;
}

/** Sets missing times of conditions: to the lastTransitionTime of an old condition with the same type and status, else to now. */
function withTimes(conditions: Conditions, old: Conditions, now: Date): Conditions {
  return conditions.map((condition) => {
    const like = old.find(
      ({ type, status, lastTransitionTime }) =>
        type === condition.type && status === condition.status && lastTransitionTime,
    );
    return {
      ...condition,
      lastUpdateTime: condition.lastUpdateTime ?? timeFromDate(now),
      lastTransitionTime: condition.lastTransitionTime ?? like?.lastTransitionTime ?? timeFromDate(now),
    };
  });
}

const conditionsOf = ({ status }: CertificateSigningRequest): Conditions => status?.conditions ?? [];

function setConditions(request: CertificateSigningRequest, conditions: Conditions): void {
  if (conditions.length > 0) request.status = { ...request.status, conditions };
}

function printState({ status }: CertificateSigningRequest): string {
  const has = (wanted: string) => status?.conditions?.some(({ type }) => type === wanted);
  const approval = has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending';
  return `${approval}${has('Failed') ? ',Failed' : ''}${status?.certificate ? ',Issued' : ''}`;
}

export const signingRequestStrategy: Strategy<CertificateSigningRequest> = {
  validatesMetadata: true,
  validatesMetadataUpdate: true,
  prepareForCreate: recordUser,
  prepareForUpdate(request, old) {
    request.spec = old.spec;
  },
  validate: (request, context) => [
    ...validateObjectMeta(request.metadata, false, anyName, Path.of('metadata')),
    ...validateSigningRequest(request, undefined, context),
  ],
  validateUpdate: validateSigningRequestUpdate,
  subresources: {
    status: {
      owns: ['status'],
      validatesMetadataUpdate: true,
      prepareForUpdate(request, old, { now }) {
        const kept = keepApproval(conditionsOf(request), conditionsOf(old));
        setConditions(request, withTimes(kept, conditionsOf(old), now()));
      },
      validateUpdate: (request, old, context) => validateSigningRequestUpdate(request, old, context, { issue: true }),
    },
    approval: {
      owns: [],
      takes: ['status.conditions'],
      validatesMetadataUpdate: true,
      prepareForUpdate(request, old, { now }) {
        setConditions(request, withTimes(conditionsOf(request), conditionsOf(old), now()));
      },
      validateUpdate: (request, old, context) => validateSigningRequestUpdate(request, old, context, { approve: true }),
    },
  },
  selectableFields: { 'spec.signerName': ({ spec }) => spec.signerName },
  table: {
    columns: columns('Name', 'Age', 'SignerName', 'Requestor', 'RequestedDuration', 'Condition'),
    row: (request, context) => {
      const { metadata, spec } = request;
      const { expirationSeconds: seconds } = spec;
      return [
        metadata.name ?? '',
        translateTimestampSince(metadata.creationTimestamp, context),
        spec.signerName || '<none>',
        spec.username ?? '',
        seconds === undefined ? '<none>' : humanDuration(seconds * 1000),
        printState(request),
      ];
    },
  },
};
