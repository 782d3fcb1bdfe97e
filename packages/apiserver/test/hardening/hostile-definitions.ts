import type { Dice } from './dice.ts';
import { type HostileBody, hostileObject, hostilePatch, patchTypes } from './hostile-bodies.ts';
import { type HostileRequest, hostileHeaders, hostileQuery, present } from './hostile-requests.ts';
import { hostileSchema } from './hostile-schemas.ts';
import { mutated, oddTexts, oddValue } from './hostile-values.ts';

type Json = Record<string, unknown>;

export const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const group = 'fuzz.dev';
const text = { type: 'string' };
const count = { type: 'integer', minimum: 0 };

/** The schema of a resource with three versions, which uses many schema features. */
const steadySchema = (version: string): Json => ({
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        [version]: { ...text, default: version },
        text: { ...text, pattern: '^(a+)+$', maxLength: 300 },
        replicas: { ...count, default: 1 },
        mode: { ...text, enum: ['A', 'B', 'C'] },
        any: { 'x-kubernetes-preserve-unknown-fields': true },
        embedded: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-preserve-unknown-fields': true,
        },
        port: { 'x-kubernetes-int-or-string': true },
        labels: { type: 'object', additionalProperties: text, 'x-kubernetes-map-type': 'atomic' },
        set: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
        containers: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name', 'protocol'],
          items: {
            type: 'object',
            required: ['name'],
            properties: {
              name: text,
              protocol: { ...text, default: 'TCP' },
              nested: { type: 'array', items: { type: 'array', items: count } },
            },
          },
        },
        one: { type: 'object', properties: { a: text, b: text }, oneOf: [{ required: ['a'] }, { required: ['b'] }] },
      },
      'x-kubernetes-validations': [{ rule: '!has(self.replicas) || self.replicas < 1000', message: 'too many' }],
    },
    status: {
      type: 'object',
      properties: { replicas: count, selector: text, phase: { ...text, nullable: true, default: 'New' } },
    },
  },
});

const version = (name: string, storage: boolean, schema: unknown): Json => ({
  name,
  served: true,
  storage,
  schema: { openAPIV3Schema: schema },
  subresources: {
    status: {},
    scale: {
      specReplicasPath: '.spec.replicas',
      statusReplicasPath: '.status.replicas',
      labelSelectorPath: '.status.selector',
    },
  },
  additionalPrinterColumns: [
    { name: 'Mode', type: 'string', jsonPath: '.spec.mode' },
    { name: 'First', type: 'string', jsonPath: '.spec.containers[0].name' },
    { name: 'All', type: 'string', jsonPath: '.spec..name' },
  ],
});

const definition = (
  plural: string,
  versions: readonly unknown[],
): Json & { metadata: { name: string }; spec: Json } => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: {
      plural,
      singular: plural.slice(0, -1),
      kind: plural[0]!.toUpperCase() + plural.slice(1, -1),
      shortNames: [plural.slice(0, 3)],
    },
    versions,
  },
});

const versions = ['v1', 'v1beta1', 'v2'];

/** A definition that exists all the time. Most requests are for its objects. */
export const steady = definition(
  'steadies',
  versions.map((name) => version(name, name === 'v1', steadySchema(name))),
);

/** An object of `steady`. */
export const steadyObject: Json = {
  apiVersion: `${group}/v1`,
  kind: 'Steadie',
  metadata: { name: present, labels: { app: 'x' } },
  spec: {
    text: 'aaa',
    replicas: 3,
    mode: 'A',
    any: { deep: [{ er: 1 }] },
    embedded: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', labels: { a: 'b' } }, data: { a: 'b' } },
    port: '80%',
    labels: { a: 'b' },
    set: ['a', 'b'],
    containers: [
      { name: 'c', nested: [[1, 2], [3]] },
      { name: 'c', protocol: 'UDP' },
    ],
    one: { a: 'x' },
  },
  status: { replicas: 1, selector: 'a=b' },
};

export const collectionOf = (version: string, plural = 'steadies'): string =>
  `/apis/${group}/${version}/namespaces/default/${plural}`;

/** Names of definitions that are created and deleted. */
const plurals = ['hostiles', 'horrids', 'wicks', 'constructors'];

function hostileDefinition(dice: Dice, plural: string): unknown {
  const names = dice.pick([
    ['v1'],
    ['v1'],
    ['v1', 'v2'],
    ['v1', 'v1'],
    Array.from({ length: 40 }, (_, i) => `v${i + 1}`),
  ]);
  const made = definition(
    plural,
    names.map((name, index) => version(name, index === 0, hostileSchema(dice))),
  );
  if (dice.chance(0.3)) {
    const odd = (): string => dice.pick([...plurals, ...oddTexts, 'steadies', 'Steadie', 'pods', 'Pod', 'List']);
    made.spec.names = {
      plural,
      singular: odd(),
      kind: odd(),
      listKind: odd(),
      shortNames: [odd(), odd()],
      categories: Array.from({ length: dice.pick([1, 5_000]) }, odd),
    };
  }
  if (dice.chance(0.1)) made.spec.scope = dice.pick(['Cluster', 'x']);
  if (dice.chance(0.1)) made.spec.group = dice.pick([...oddTexts, 'apps', 'k8s.io', 'x.k8s.io']);
  if (dice.chance(0.1)) made.spec.preserveUnknownFields = true;
  if (dice.chance(0.1))
    made.spec.conversion = dice.pick<unknown>([
      {
        strategy: 'Webhook',
        webhook: { clientConfig: { url: 'https://127.0.0.1:1/x' }, conversionReviewVersions: ['v1'] },
      },
      { strategy: 'x' },
      oddValue(dice),
    ]);
  return dice.chance(0.3) ? mutated(made, dice) : made;
}

const jsonBody = (value: unknown, contentType = 'application/json'): HostileBody => ({
  contentType,
  bytes: Buffer.from(JSON.stringify(value) ?? ''),
});

function requestOf(dice: Dice, method: string, path: string, body: HostileBody | undefined): HostileRequest {
  return {
    method,
    url: path + hostileQuery(dice),
    headers: hostileHeaders(dice, body?.contentType),
    ...(body && { body: body.bytes }),
  };
}

/** Returns a random request for a definition. */
function definitionRequest(dice: Dice): HostileRequest {
  const plural = dice.pick(plurals);
  const path = `${definitions}/${plural}.${group}`;
  const spec = (): unknown => ({ spec: (hostileDefinition(dice, plural) as Json | null)?.spec });
  switch (dice.below(8)) {
    case 0:
    case 1:
    case 2:
      return requestOf(dice, 'POST', definitions, jsonBody(hostileDefinition(dice, plural)));
    case 3:
      return requestOf(dice, 'PUT', path, jsonBody(hostileDefinition(dice, plural)));
    case 4: {
      const type = dice.pick([patchTypes.merge, patchTypes.apply]);
      return requestOf(
        dice,
        'PATCH',
        path,
        jsonBody(type === patchTypes.merge ? spec() : hostileDefinition(dice, plural), type),
      );
    }
    case 5:
      return requestOf(
        dice,
        'PATCH',
        `${path}${dice.pick(['', '/status'])}`,
        hostilePatch(dice, definition(plural, [])),
      );
    case 6:
      return requestOf(dice, 'GET', path, undefined);
    default:
      return requestOf(dice, 'DELETE', path, undefined);
  }
}

/** Returns a random request for objects, mostly of `steady`. */
function instanceRequest(dice: Dice): HostileRequest {
  const name = dice.pick(versions);
  const isSteady = dice.chance(0.8);
  const collection = isSteady ? collectionOf(name) : collectionOf('v1', dice.pick(plurals));
  const kind = isSteady ? 'Steadie' : 'Hostile';
  const object = { ...steadyObject, kind, apiVersion: `${group}/${dice.chance(0.9) ? name : dice.pick(versions)}` };
  const path = `${collection}/${dice.chance(0.8) ? present : 'other'}${dice.pick(['', '', '', '/status', '/scale', '/x'])}`;
  switch (dice.below(10)) {
    case 0:
      return requestOf(dice, 'GET', dice.pick([collection, path]), undefined);
    case 1:
    case 2:
      return requestOf(dice, 'POST', collection, hostileObject(dice, object));
    case 3:
    case 4:
      return requestOf(
        dice,
        'PUT',
        path,
        hostileObject(
          dice,
          dice.chance(0.8)
            ? object
            : {
                kind: 'Scale',
                apiVersion: 'autoscaling/v1',
                metadata: { name: present },
                spec: { replicas: oddValue(dice) },
              },
        ),
      );
    case 5:
      return requestOf(dice, 'DELETE', `${collection}/other`, undefined);
    default:
      return requestOf(dice, 'PATCH', path, hostilePatch(dice, object));
  }
}

/** Returns a random, mostly invalid request for definitions or their objects. */
export const hostileCustomRequest = (dice: Dice): HostileRequest =>
  dice.chance(0.3) ? definitionRequest(dice) : instanceRequest(dice);
