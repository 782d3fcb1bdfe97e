import { loadDescriptions } from '@coxswain/api';
import type { Answer, JsonObject } from './scenario.ts';

/** A deliberate difference between the responses of this server and upstream's. */
interface Difference {
  readonly reason: string;
  /** `suite: sentence` → its steps, counted from 1. */
  readonly at: Readonly<Record<string, readonly number[]>>;
  /** Returns the response of this server, given the recorded one. */
  readonly change?: (answer: Answer) => Answer;
  /** Metadata fields that are not compared. */
  readonly ignored?: readonly string[];
}

const withBody = (answer: Answer, change: (body: JsonObject) => JsonObject): Answer => ({
  ...answer,
  body: change(answer.body as JsonObject),
});

const json = { 'cache-control': 'no-cache, private', 'content-type': 'application/json' };

const refusal = (code: number, reason: string, message: string): Answer => ({
  status: code,
  headers: json,
  body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, details: {}, code },
});
const notAllowed = refusal(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource');
const notFound = refusal(404, 'NotFound', 'the server could not find the requested resource');

const differences: readonly Difference[] = [
  {
    reason: "a client's mistake is not the server's: what upstream answers with 500 is a 400 with the same message",
    at: {
      'bodies: what only the server writes is not taken from clients': [4],
      'lists: resource versions say how fresh': [16],
      'watches: watches can be asked for wrongly': [2, 3],
      'versions: old versions warn': [9],
    },
    change: (answer) => ({
      ...withBody(answer, (body) => ({ ...body, code: 400, reason: 'BadRequest' })),
      status: 400,
    }),
  },
  {
    reason: "a client's mistake, without a reason as upstream, because kubectl shows reasons",
    at: {
      'bodies: an object that says its version is not new': [1],
      'patches: strategic merge patches know lists': [5, 12, 13],
      'patches: apply can be wrong': [7, 8, 9],
      'patches: apply merges lists by their keys': [7],
      'subresources: a pod is bound to a node': [10, 11],
      'custom-resources: apply knows the lists of the schema': [8, 9],
      'admission: an account may hold its pods to its secrets': [7],
      'optional-admission: nodes write about their pods': [41, 42, 43, 46],
      'optional-admission: pods are made stricter': [10, 13, 15, 17],
    },
    change: (answer) => ({ ...withBody(answer, (body) => ({ ...body, code: 400 })), status: 400 }),
  },
  {
    reason: 'upstream warns about every field of an unknown version before it refuses the version',
    at: { 'custom-resources: bodies are read by the schema': [12] },
    change: ({ headers, ...answer }) => {
      const { warning: _, ...others } = headers ?? {};
      return { ...answer, headers: others };
    },
  },
  {
    reason: 'upstream has this annotation in apps/v1 only, but PartialObjectMetadata is the same for all versions',
    at: { 'every-kind: the life of a DaemonSet in apps/v1': [6] },
    change: (answer) =>
      JSON.parse(JSON.stringify(answer), (key, value) =>
        key === 'metadata' && value.generation
          ? { ...value, annotations: { 'deprecated.daemonset.template.generation': '1' } }
          : value,
      ),
  },
  {
    reason: 'a path without a required name is not found; upstream requires the name, or fails',
    at: { 'paths: slashes and letters': [22] },
    change: () => notFound,
  },
  {
    reason: 'a watch path without a required name is not found either',
    at: { 'paths: watches by their old paths': [7] },
    change: (answer) => ({
      ...answer,
      status: 404,
      headers: { ...answer.headers, 'cache-control': 'no-cache, private' },
      body: '404 page not found\n',
    }),
  },
  {
    reason: 'a subresource path without a required name is not allowed',
    at: { 'paths: slashes and letters': [23] },
    change: () => notAllowed,
  },
  {
    reason: 'upstream returns a continue token without checking whether further objects are selected',
    at: { 'lists: lists come in pages': [11, 13] },
    change: (answer) =>
      withBody(answer, (body) => {
        const { continue: _, ...metadata } = body.metadata as JsonObject;
        return { ...body, metadata };
      }),
  },
  {
    reason: 'objects that are not stored have no managedFields',
    at: {
      'subresources: service accounts get tokens': [2, 3, 9, 10],
      'subresources: reviews answer questions': [1, 4, 6, 10],
      'authorization: reviews tell what others may': [1, 2, 3, 4, 5],
    },
    ignored: ['managedFields'],
  },
  {
    reason: 'a write that changes nothing does not change the owners of fields',
    at: { 'subresources: ephemeral containers are added only': [6] },
    ignored: ['managedFields', 'resourceVersion'],
  },
  {
    reason:
      'upstream cannot apply to the scale of a custom object without known managedFields; this server returns the conflict',
    at: { 'gone-versions: nothing can be applied to an object whose managedFields name a version that is gone': [22] },
    change: (answer) => {
      const message = 'conflict with "before-first-apply" with subresource "scale" using autoscaling/v1';
      const field = '.spec.replicas';
      return {
        ...answer,
        status: 409,
        body: {
          ...(answer.body as JsonObject),
          message: `Apply failed with 1 conflict: ${message}: ${field}`,
          reason: 'Conflict',
          details: { causes: [{ reason: 'FieldManagerConflict', message, field }] },
          code: 409,
        },
      };
    },
  },
  {
    reason: 'upstream drops managedFields of writes through the other group',
    at: { 'versions: events of both groups are the same': [13] },
    ignored: ['managedFields'],
  },
  {
    reason: 'a field of a disabled feature is omitted; upstream returns it as null',
    at: { 'optional-admission: groups of pods are of workloads': [2] },
    change: (answer) =>
      JSON.parse(JSON.stringify(answer), (key, value) => (key === 'schedulingConstraints' ? undefined : value)),
  },
];

/** Returns `suite: sentence` of every difference, with the steps. */
export const differencePlaces = (): [at: string, steps: readonly number[]][] =>
  differences.flatMap(({ at }) => Object.entries(at));

/** Returns the recorded responses, with the deliberate differences applied. */
export const expectedAnswers = (at: string, recorded: readonly Answer[]): Answer[] =>
  recorded.map((answer, index) => {
    const here = differencesAt(at, index + 1);
    const changed = here.reduce((before, { change }) => change?.(before) ?? before, withoutSentences(answer));
    return withoutIgnored(changed, here);
  });

/** Returns the compared part of the responses of this server. */
export const comparedAnswers = (at: string, answers: readonly Answer[]): Answer[] =>
  answers.map((answer, index) => withoutIgnored(withoutSentences(answer), differencesAt(at, index + 1)));

const differencesAt = (at: string, step: number): Difference[] =>
  differences.filter((difference) => difference.at[at]?.includes(step));

function withoutIgnored(answer: Answer, here: readonly Difference[]): Answer {
  const names = here.flatMap(({ ignored = [] }) => ignored);
  if (names.length === 0) return answer;
  return withBody(answer, (body) => {
    const kept = Object.entries(body.metadata as JsonObject).filter(([name]) => !names.includes(name));
    return { ...body, metadata: Object.fromEntries(kept) };
  });
}

const described = new Set(Object.values(await loadDescriptions()).flatMap((fields) => Object.values(fields)));

/** Returns whether a column's description is compared: those of fields, and those of a CustomResourceDefinition's columns. */
const isCompared = (description: string): boolean =>
  description.length < 10 || description.startsWith('Custom resource definition column') || described.has(description);

/** Replaces descriptions of Table columns that are our own texts, so that only their presence is compared. */
function withoutSentences(answer: Answer): Answer {
  return JSON.parse(JSON.stringify(answer), (_, value) =>
    value && typeof value === 'object' && 'priority' in value && 'format' in value
      ? { ...value, description: isCompared(String(value.description)) ? value.description : 'a sentence' }
      : value,
  );
}
