import type { Answer, JsonObject } from './scenario.ts';

/** Where this server means to answer otherwise than upstream does. */
interface Difference {
  readonly reason: string;
  /** `suite: sentence` → its steps, counted from 1. */
  readonly at: Readonly<Record<string, readonly number[]>>;
  readonly change: (answer: Answer) => Answer;
}

const withBody = (answer: Answer, change: (body: JsonObject) => JsonObject): Answer => ({
  ...answer,
  body: change(answer.body as JsonObject),
});

const json = { 'cache-control': 'no-cache, private', 'content-type': 'application/json' };

const notAllowed: Answer = {
  status: 405,
  headers: json,
  body: {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'the server does not allow this method on the requested resource',
    reason: 'MethodNotAllowed',
    details: {},
    code: 405,
  },
};

const notFound: Answer = {
  status: 404,
  headers: json,
  body: {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'the server could not find the requested resource',
    reason: 'NotFound',
    details: {},
    code: 404,
  },
};

const differences: readonly Difference[] = [
  {
    reason: "a client's mistake is not the server's: what upstream answers with 500 is a 400 with the same message",
    at: {
      'bodies: an object that says its version is not new': [1],
      'bodies: what only the server writes is not taken from clients': [4],
      'lists: resource versions say how fresh': [16],
      'patches: strategic merge patches know lists': [5, 12, 13],
      'patches: apply can be wrong': [7, 8, 9],
      'watches: watches can be asked for wrongly': [2, 3],
      'patches: apply merges lists by their keys': [7],
    },
    change: (answer) => ({
      ...withBody(answer, (body) => ({ ...body, code: 400, reason: 'BadRequest' })),
      status: 400,
    }),
  },
  {
    reason: 'upstream has this annotation in apps/v1 only, and metadata alone is shown without a version',
    at: { 'every-kind: the life of a DaemonSet in apps/v1': [6] },
    change: (answer) =>
      JSON.parse(JSON.stringify(answer), (key, value) =>
        key === 'metadata' && value.generation
          ? { ...value, annotations: { 'deprecated.daemonset.template.generation': '1' } }
          : value,
      ),
  },
  {
    reason: 'a path without a name where one belongs leads nowhere; upstream asks for the name, or fails',
    at: { 'paths: slashes and letters': [22] },
    change: () => notFound,
  },
  {
    reason: 'the same for a watch of nothing',
    at: { 'paths: watches by their old paths': [7] },
    change: (answer) => ({
      ...answer,
      status: 404,
      headers: { ...answer.headers, 'cache-control': 'no-cache, private' },
      body: '404 page not found\n',
    }),
  },
  {
    reason: 'the same for a part of what has no name',
    at: { 'paths: slashes and letters': [23] },
    change: () => notAllowed,
  },
  {
    reason: 'upstream promises more when it has not looked whether there is more that is selected',
    at: { 'lists: lists come in pages': [11, 13] },
    change: (answer) =>
      withBody(answer, (body) => {
        const { continue: _, ...metadata } = body.metadata as JsonObject;
        return { ...body, metadata };
      }),
  },
  {
    reason: 'what the server makes when it starts has no managedFields',
    at: { 'deletions: some namespaces always stay': [4] },
    change: (answer) =>
      withBody(answer, (body) => {
        const { managedFields: _, ...metadata } = body.metadata as JsonObject;
        return { ...body, metadata };
      }),
  },
];

/** What was recorded, but for what this server answers otherwise on purpose. */
export function expectedAnswers(at: string, recorded: readonly Answer[]): Answer[] {
  const here = differences.filter((one) => one.at[at]);
  return recorded.map((answer, index) => {
    const changes = here.filter((one) => one.at[at]!.includes(index + 1));
    return changes.reduce((changed, { change }) => change(changed), withoutDescriptions(answer));
  });
}

/** Columns of a Table have no descriptions here: no client shows them. */
function withoutDescriptions(answer: Answer): Answer {
  return JSON.parse(JSON.stringify(answer), (_, value) =>
    value && typeof value === 'object' && 'priority' in value && 'format' in value
      ? { ...value, description: '' }
      : value,
  );
}
