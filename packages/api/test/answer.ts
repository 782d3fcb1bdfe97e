import {
  cloneJson,
  compileNormalizer,
  GroupVersion,
  type KubernetesObject,
  type Normalizer,
  newInvalid,
  type Status,
  toStatus,
} from '@coxswain/apimachinery';
import { nodeSignatures } from '@coxswain/client/x509';
import { conversionFor, defaulterFor, strategyFor } from '../src/built-in-kinds.ts';
import { Catalogue, type Kind } from '../src/catalogue/catalogue.ts';
import { FeatureGates } from '../src/features/feature-gates.ts';
import { judgeCreate, judgeUpdate, type Verdict } from '../src/strategy/judge.ts';
import type { Strategy, StrategyContext } from '../src/strategy/strategy.ts';
import { fixedUid, type JsonObject } from './case.ts';

export interface Outcome {
  readonly object?: JsonObject;
  readonly status?: Pick<Status, 'message' | 'reason' | 'code' | 'details'>;
  readonly warnings?: readonly string[];
}

const normalizers = new Map<Kind, Normalizer>();

function normalize(kind: Kind, object: unknown): JsonObject {
  const normalizer = normalizers.get(kind) ?? compileNormalizer(kind.schema);
  normalizers.set(kind, normalizer);
  return normalizer(object).object;
}

function kindOf(object: JsonObject): Kind {
  const kind = Catalogue.builtIn().kind(
    GroupVersion.parse(object.apiVersion as string).withKind(object.kind as string),
  );
  if (!kind) throw new Error(`no kind ${object.kind} in ${object.apiVersion}`);
  return kind;
}

/** Decodes the object, sets defaults and converts it to the hub version, as the server does with a request body. */
export function toHub(input: JsonObject): { kind: Kind; strategy: Strategy; object: KubernetesObject } {
  const kind = kindOf(input);
  const strategy = strategyFor(kind.hub);
  if (!strategy) throw new Error(`no strategy for ${kind.hub}`);
  const object = normalize(kind, cloneJson(input)) as KubernetesObject;
  defaulterFor(kind.gvk)?.(object);
  const hub = conversionFor(kind.gvk)?.toHub(object) ?? object;
  return { kind, strategy, object: { ...hub, apiVersion: kind.hub.groupVersion.toString() } };
}

function fromHub(kind: Kind, hub: KubernetesObject): JsonObject {
  const object = conversionFor(kind.gvk)?.fromHub(hub) ?? hub;
  const versioned = { ...object, apiVersion: kind.gvk.groupVersion.toString(), kind: kind.gvk.kind };
  defaulterFor(kind.gvk)?.(versioned);
  const answer = normalize(kind, versioned);
  const { uid, resourceVersion, creationTimestamp, managedFields, selfLink, ...metadata } =
    answer.metadata as JsonObject;
  return { ...answer, metadata };
}

function contextFor(kind: Kind, object: KubernetesObject, features: FeatureGates): StrategyContext {
  return {
    features,
    now: () => new Date('2026-01-01T00:00:00Z'),
    requestGroupVersion: kind.gvk.groupVersion.toString(),
    serviceIPFamilies: ['IPv4', 'IPv6'],
    signatures: nodeSignatures,
    user: { username: 'admin', uid: 'uid1', groups: ['system:masters', 'system:authenticated'] },
    ...(kind.resource?.namespaced && { namespace: object.metadata?.namespace ?? '' }),
  };
}

function outcome(kind: Kind, { object, errors, warnings }: Verdict<KubernetesObject>): Outcome {
  const sent = warnings.length > 0 && { warnings };
  if (errors.length === 0) return { object: fromHub(kind, object), ...sent };
  const name = object.metadata?.name ?? '';
  const { message, reason, code, details } = toStatus(newInvalid(kind.hub.groupKind, name, errors));
  return { status: { message, reason, code, details } as Outcome['status'], ...sent };
}

/** Returns our response to a POST. */
export function create(input: JsonObject, namespace: string, features = FeatureGates.defaults): Outcome {
  const { kind, strategy, object } = toHub(input);
  if (kind.resource?.namespaced)
    object.metadata = { ...object.metadata, namespace: object.metadata?.namespace ?? namespace };
  object.metadata = { ...object.metadata, uid: fixedUid };
  return outcome(kind, judgeCreate(strategy, object, contextFor(kind, object, features)));
}

/** Returns our response to a PUT of the object, or of one of its subresources. */
export function update(
  input: JsonObject,
  stored: JsonObject,
  subresource?: string,
  features = FeatureGates.defaults,
): Outcome {
  const { kind, strategy, object } = toHub(input);
  const old = toHub(stored).object;
  return outcome(kind, judgeUpdate(strategy, object, old, contextFor(kind, old, features), subresource));
}
