import {
  type Amounts,
  addTo,
  amountsOf,
  type Evaluator,
  isInScopes,
  matchingScopes,
  type Scope,
  scopesOf,
} from '@coxswain/api';
import type { ResourceQuota } from '@coxswain/api/core/v1';
import { ApiError, type KubernetesObject, Quantity } from '@coxswain/apimachinery';
import type { AdmissionAttributes } from '../admission.ts';
import { admissionForbidden } from '../admission-error.ts';
import type { LimitedResource } from './configuration.ts';

const zero = Quantity.of(0);

/** A quota, with the usage that includes all admitted requests. */
export interface QuotaState {
  readonly quota: ResourceQuota;
  readonly hard: ReadonlyMap<string, Quantity>;
  readonly used: ReadonlyMap<string, Quantity>;
}

export const quotaState = (quota: ResourceQuota): QuotaState => ({
  quota,
  hard: amountsOf(quota.status?.hard),
  used: amountsOf(quota.status?.used),
});

/** A write, with the evaluator for its object. */
export interface QuotaRequest {
  readonly attributes: AdmissionAttributes;
  readonly evaluator: Evaluator;
}

/** The created or updated object. */
const objectOf = ({ attributes }: QuotaRequest): KubernetesObject => attributes.object!;

/**
 * Checks whether a write fits into all quotas. Returns the states that include it, which are the same where nothing
 * changes. Throws an ApiError with the reason when it does not fit.
 */
export function checkRequest(
  states: readonly QuotaState[],
  request: QuotaRequest,
  limited: readonly LimitedResource[],
): readonly QuotaState[] {
  const { attributes, evaluator } = request;
  const relevant = relevantQuotas(states, request);
  const usage = evaluator.usage(objectOf(request));
  const negative = namesOf(usage, (amount) => amount.sign() < 0);
  if (negative.length > 0)
    throw admissionForbidden(attributes, `quota usage is negative for resource(s): ${negative.join(',')}`);
  const charges = new Map(
    relevant.map((state) => [state, chargeFor(state, usage, request)] as const).filter(([, charge]) => charge.size > 0),
  );
  // Without a quota, the resource may still be limited.
  const uses = relevant.length > 0 ? charges.size > 0 : increase(usage, request).size > 0;
  if (!uses) return states;
  if (limited.length > 0) {
    const covered = new Set(relevant.flatMap(({ hard }) => measuredOf(hard, evaluator)));
    assertCovered(
      namesOf(usage, (amount, name) => amount.sign() > 0 && !covered.has(name)),
      request,
      limited,
    );
    assertScopesCovered(states, request, limited);
  }
  return states.map((state) => {
    const charge = charges.get(state);
    return charge ? charged(state, charge, attributes) : state;
  });
}

/** Returns the quotas that count the object. Throws when it lacks required values, or a status is unknown. */
function relevantQuotas(states: readonly QuotaState[], request: QuotaRequest): QuotaState[] {
  const { attributes, evaluator } = request;
  const object = objectOf(request);
  return states.filter(({ quota, hard, used }) => {
    const names = measuredOf(hard, evaluator);
    if (names.length === 0 || !isInScopes(evaluator, object, scopesOf(quota.spec ?? {}))) return false;
    const missing = evaluator.missing?.(names, object);
    if (missing !== undefined) throw admissionForbidden(attributes, `failed quota: ${quota.metadata.name}: ${missing}`);
    if (names.some((name) => !used.has(name))) {
      const unknown = `status unknown for quota: ${quota.metadata.name}, resources: ${names.sort().join(',')}`;
      throw admissionForbidden(attributes, unknown);
    }
    return true;
  });
}

const measuredOf = (hard: ReadonlyMap<string, Quantity>, evaluator: Evaluator): string[] =>
  [...hard.keys()].filter((name) => evaluator.measures(name));

/** The charge for a quota: only the increase for an object that it counts already. */
function chargeFor({ quota }: QuotaState, usage: Amounts, request: QuotaRequest): Amounts {
  const { oldObject } = request.attributes;
  const countsOld = oldObject && isInScopes(request.evaluator, oldObject, scopesOf(quota.spec ?? {}));
  return countsOld ? increase(usage, request) : withoutZeros(usage);
}

/** The increase of usage by an update; all usage for a create. */
function increase(usage: Amounts, { attributes: { oldObject }, evaluator }: QuotaRequest): Amounts {
  if (!oldObject) return withoutZeros(usage);
  const before = evaluator.usage(oldObject);
  return withoutZeros(new Map([...usage].map(([name, amount]) => [name, atLeastZero(amount, before.get(name))])));
}

function atLeastZero(amount: Quantity, less: Quantity | undefined): Quantity {
  const rest = less ? amount.sub(less) : amount;
  return rest.sign() > 0 ? rest : zero;
}

const withoutZeros = (amounts: Amounts): Amounts => new Map([...amounts].filter(([, amount]) => !amount.isZero()));

/** Throws when one of the names is limited and requires a quota. */
function assertCovered(
  names: readonly string[],
  { attributes }: QuotaRequest,
  limited: readonly LimitedResource[],
): void {
  const { group, resource } = attributes.resource;
  const patterns = limited
    .filter((one) => one.apiGroup === group && one.resource === resource)
    .flatMap(({ matchContains }) => matchContains);
  const uncovered = names.filter((name) => patterns.some((pattern) => name.includes(pattern)));
  if (uncovered.length > 0)
    throw admissionForbidden(attributes, `insufficient quota to consume: ${uncovered.join(',')}`);
}

/** Throws when the object is in a scope that is limited and requires a quota. */
function assertScopesCovered(
  states: readonly QuotaState[],
  request: QuotaRequest,
  limited: readonly LimitedResource[],
): void {
  const matching = (scopes: readonly Scope[]): Scope[] => matchingScopes(request.evaluator, objectOf(request), scopes);
  const asked = limited.flatMap(({ matchScopes }) => matching(matchScopes));
  if (asked.length === 0) return;
  const covered = states.flatMap(({ quota }) => matching(scopesOf(quota.spec ?? {})));
  const names = new Set(covered.map(({ scopeName }) => scopeName));
  const uncovered = asked.filter(({ scopeName }) => !names.has(scopeName));
  if (uncovered.length > 0) throw notCovered(uncovered);
}

/** Upstream responds with status 500. */
function notCovered(scopes: readonly Scope[]): ApiError {
  const shown = scopes.map(
    ({ scopeName, operator, values = [] }) => `{${scopeName} ${operator} [${values.join(' ')}]}`,
  );
  const message = `insufficient quota to match these scopes: [${shown.join(' ')}]`;
  return new ApiError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 });
}

/** Adds a charge to a quota. Throws when that exceeds it, except for updates of a status. */
function charged(state: QuotaState, charge: Amounts, attributes: AdmissionAttributes): QuotaState {
  const { quota, hard, used } = state;
  const requested = new Map([...charge].filter(([name]) => hard.has(name)));
  if (requested.size === 0) return state;
  const total = addTo(new Map(used), requested);
  if (attributes.subresource !== 'status') {
    const exceeded = namesOf(requested, (_, name) => total.get(name)!.cmp(hard.get(name)!) > 0);
    const of = (amounts: ReadonlyMap<string, Quantity>): string =>
      exceeded.flatMap((name) => (amounts.has(name) ? [`${name}=${amounts.get(name)}`] : [])).join(',');
    if (exceeded.length > 0)
      throw admissionForbidden(
        attributes,
        `exceeded quota: ${quota.metadata.name}, requested: ${of(requested)}, used: ${of(used)}, limited: ${of(hard)}`,
      );
  }
  return { quota, hard, used: total };
}

const namesOf = (amounts: ReadonlyMap<string, Quantity>, is: (amount: Quantity, name: string) => boolean): string[] =>
  [...amounts].flatMap(([name, amount]) => (is(amount, name) ? [name] : [])).sort();
