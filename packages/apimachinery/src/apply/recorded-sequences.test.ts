import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../meta/index.ts';
import type { Schema } from '../schema/schema.ts';
import { FieldManager } from './field-manager.ts';
import { FieldSet } from './field-set.ts';
import { excludeFields, type FieldSetFilter } from './field-set-filter.ts';
import { convertWidget, deployment, frozen, scale, widgetV1, widgetV2 } from './kinds.test-data.ts';
import { fieldPath } from './path-element.ts';
import { ScaleHandler } from './scale-handler.ts';

const lines = <T>(name: string): T[] =>
  readFileSync(new URL(`./testdata/${name}`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/** The value as encoded on the wire. */
const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** Random writes by several managers, with the results of upstream's library. */
interface WidgetSequence {
  readonly kind: string;
  readonly reset?: Readonly<Record<string, string[]>>;
  readonly steps: readonly {
    readonly op: 'apply' | 'update';
    readonly manager: string;
    readonly apiVersion: string;
    readonly force?: boolean;
    readonly subresource?: string;
    readonly object: KubernetesObject;
    readonly time: string;
    readonly error?: string;
    readonly result?: KubernetesObject;
  }[];
}

const hub = 'example.com/v1';
const widgetSchemas: Readonly<Record<string, Schema>> = { [hub]: widgetV1, 'example.com/v2': widgetV2 };

function schemaFor(kind: string, apiVersion: string): Schema | undefined {
  if (kind === 'Widget') return widgetSchemas[apiVersion];
  return apiVersion.startsWith('gone.') ? undefined : { kind: 'any' };
}

describe('random writes to a custom resource have the same results as upstream', () => {
  const sequences = lines<WidgetSequence>('widget-sequences.jsonl');
  it.each(sequences.map((sequence, i) => [i, sequence] as const))('sequence %i', (_, { kind, reset, steps }) => {
    let live = frozen<KubernetesObject>({ apiVersion: hub, kind });
    for (const { op, manager, apiVersion, force, subresource = '', object, time, error, result } of frozen(steps)) {
      const excluded = reset?.[subresource]?.map((name) => fieldPath(name)) ?? [];
      const fieldManager = new FieldManager({
        apiVersion,
        kind,
        subresource,
        versions: { schemaFor: (version) => schemaFor(kind, version), convert: convertWidget },
        filters: new Map([[apiVersion, excludeFields(FieldSet.of(...excluded))]]),
        emptyObject: () => ({ apiVersion, kind }),
        now: () => new Date(time),
      });
      const write = (): KubernetesObject =>
        op === 'apply'
          ? fieldManager.apply(live, object, { manager, force })
          : fieldManager.update(live, object, manager);
      if (result === undefined) {
        expect(write).toThrow(
          expect.objectContaining({ message: error?.replace(/^failed to update.*new object: /s, '') }),
        );
        continue;
      }
      const written = convertWidget(write(), hub);
      live = frozen(Object.assign({}, written, { metadata: { ...Object(written).metadata, uid: 'u' } }));
      expect(json(live)).toEqual(result);
    }
  });
});

/** Requests to a real kube-apiserver, with its responses. */
interface Request {
  readonly it: string;
  readonly op: 'create' | 'apply' | 'update';
  readonly name: string;
  readonly manager: string;
  readonly subresource?: string;
  readonly force?: boolean;
  readonly body?: KubernetesObject & { readonly spec?: { readonly replicas: number } };
  readonly result?: KubernetesObject & { readonly spec: { readonly replicas: number } };
  readonly status?: { readonly message: string; readonly reason?: string; readonly code: number };
}

describe('requests for a deployment have the responses of a real kube-apiserver', () => {
  const resetBy: Readonly<Record<string, FieldSetFilter>> = {
    '': excludeFields(FieldSet.of(fieldPath('status'))),
    status: excludeFields(FieldSet.of(fieldPath('spec'), fieldPath('metadata', 'labels'))),
  };
  const managerFor = (
    apiVersion: string,
    kind: string,
    schema: Schema,
    subresource: string,
    time: string,
  ): FieldManager =>
    new FieldManager({
      apiVersion,
      kind,
      subresource,
      versions: { schemaFor: (version) => (version === apiVersion ? schema : undefined), convert: (object) => object },
      filters: new Map(Object.entries({ [apiVersion]: resetBy[subresource] ?? ((set: FieldSet) => set) })),
      now: () => new Date(time),
    });

  /** The latest time in an object's managedFields is that of the request that made it. */
  const timeOf = (object: KubernetesObject | undefined): string =>
    object?.metadata?.managedFields
      ?.map(({ time }) => time ?? '')
      .sort()
      .at(-1) || '2001-01-01T00:00:00Z';

  function viaScale(live: Request['result'], { op, manager, body, force }: Request): unknown {
    const paths = new Map([['apps/v1', fieldPath('spec', 'replicas')]]);
    const handler = new ScaleHandler(live?.metadata?.managedFields, 'apps/v1', paths);
    const fieldManager = managerFor('autoscaling/v1', 'Scale', scale, 'scale', '2001-01-01T00:00:00Z');
    const scaleOf = (replicas: number | undefined) => ({
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata: { name: 'web', uid: 'u', managedFields: handler.toSubresource() },
      spec: { replicas },
    });
    const old = scaleOf(live?.spec.replicas);
    const { metadata } =
      op === 'apply'
        ? fieldManager.apply(old, body!, { manager, force })
        : fieldManager.update(old, scaleOf(body?.spec?.replicas), manager);
    return handler.toParent(metadata?.managedFields);
  }

  const live = new Map<string, Request['result']>();
  it.each(lines<Request>('deployment-sequence.jsonl').map((request) => [request.it, request] as const))(
    '%s',
    (_, request) => {
      const { op, name, manager, subresource = '', force, body, result, status } = request;
      const current = frozen(live.get(name));
      live.set(name, result ?? current);
      const write = (): unknown => {
        if (subresource === 'scale') return viaScale(current, request);
        const fieldManager = managerFor('apps/v1', 'Deployment', deployment, subresource, timeOf(result));
        if (op === 'apply') return fieldManager.apply(current, body!, { manager, force }).metadata?.managedFields;
        const { managedFields: _, ...metadata } = result?.metadata ?? {};
        const updated: KubernetesObject = fieldManager.update(current, { ...result, metadata }, manager);
        return updated.metadata?.managedFields;
      };
      if (status === undefined) {
        // Compared as text: the order of the fields matters.
        expect(JSON.stringify(write(), null, 1)).toBe(JSON.stringify(result?.metadata?.managedFields, null, 1));
      } else if (status.reason === undefined) {
        expect(write).toThrow(expect.objectContaining({ message: status.message }));
      } else {
        expect(write).toThrow(expect.objectContaining({ status: expect.objectContaining(status) }));
      }
    },
  );
});
