import { readFileSync } from 'node:fs';
import { GroupResource, type KubernetesObject } from '@coxswain/apimachinery';
import { describe, expect, it } from 'vitest';
import { FeatureGates } from '../features/feature-gates.ts';
import type { DeviceClass } from '../generated/resource/v1.ts';
import { amountsOf, type ResourceList, resourceListOf } from './amounts.ts';
import type { Scope } from './evaluator.ts';
import { newEvaluators } from './evaluators.ts';

/** Recorded results of upstream's evaluators: the usage of objects, and the quota names that they measure. */
interface Recorded {
  readonly names: readonly string[];
  readonly measured: Readonly<Record<string, readonly string[]>>;
  readonly objects: readonly {
    readonly resource: string;
    readonly sentence: string;
    readonly object: KubernetesObject;
    readonly usage: ResourceList;
    readonly scopes?: readonly string[];
    readonly missing?: string;
  }[];
}

const { names, measured, objects }: Recorded = JSON.parse(
  readFileSync(new URL('testdata/usages.json', import.meta.url), 'utf8'),
);

/** The device classes of the recording. */
const deviceClasses: DeviceClass[] = [
  { metadata: { name: 'gpu' }, spec: { extendedResourceName: 'example.com/gpu' } },
  { metadata: { name: 'nic' }, spec: {} },
];
const now = (): Date => new Date('2026-01-01T00:00:00Z');
const evaluators = newEvaluators(FeatureGates.defaults, now, {
  deviceClass: (name) => deviceClasses.find(({ metadata }) => metadata.name === name),
  deviceClasses: () => deviceClasses,
  pod: () => undefined,
  claims: () => [],
});

const valued = ['PriorityClass', 'VolumeAttributesClass'] as const;
const values = ['high', 'higher'];
const scopes: Scope[] = [
  ...(['Terminating', 'NotTerminating', 'BestEffort', 'NotBestEffort', 'CrossNamespacePodAffinity'] as const).map(
    (scopeName): Scope => ({ scopeName, operator: 'Exists' }),
  ),
  ...valued.flatMap((scopeName): Scope[] => [
    { scopeName, operator: 'Exists' },
    { scopeName, operator: 'DoesNotExist' },
    { scopeName, operator: 'In', values },
    { scopeName, operator: 'NotIn', values },
  ]),
];

describe('the usage of an object equals upstream’s', () => {
  for (const { resource, sentence, object, usage, scopes: wanted = [], missing } of objects)
    it(`${resource}: ${sentence}`, () => {
      const evaluator = evaluators.of(GroupResource.parse(resource));
      expect(resourceListOf(evaluator.usage(object))).toEqual(resourceListOf(amountsOf(usage)));
      const found = scopes.filter((scope) => evaluator.isInScope?.(scope, object));
      expect(found.map(({ scopeName, operator }) => `${scopeName} ${operator}`)).toEqual(wanted);
      expect(evaluator.missing?.(names, object)).toBe(missing);
    });
});

describe('the quota names that are measured', () => {
  for (const [resource, wanted] of Object.entries(measured))
    it(`by ${resource}`, () => {
      const evaluator = evaluators.of(GroupResource.parse(resource));
      expect(names.filter((name) => evaluator.measures(name))).toEqual(names.filter((name) => wanted.includes(name)));
    });

  it('by evaluators that only count objects', () => {
    const measuredBy = (resource: string): string[] =>
      names.filter((name) => evaluators.of(GroupResource.parse(resource)).measures(name));
    expect(measuredBy('configmaps')).toEqual(['count/configmaps', 'configmaps']);
    expect(measuredBy('deployments.apps')).toEqual(['count/deployments.apps']);
    expect(measuredBy('boats.example.com')).toEqual([]);
  });
});
