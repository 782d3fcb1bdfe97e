import { describe, expect, it } from 'vitest';
import { FeatureGates } from '../../features/feature-gates.ts';
import { flowSchemaStrategy } from './flow-schema.ts';
import { mandatoryFlowSchemas, mandatoryPriorityLevels } from './mandatory-objects.ts';
import { priorityLevelStrategy } from './priority-level.ts';

const context = { features: FeatureGates.defaults, now: () => new Date(0) };

describe('mandatory objects', () => {
  it.each([...mandatoryFlowSchemas])('the schema %s is valid', (name, spec) => {
    expect(flowSchemaStrategy.validate!({ metadata: { name }, spec }, context)).toEqual([]);
  });

  it.each([...mandatoryPriorityLevels])('the level %s is valid', (name, spec) => {
    expect(priorityLevelStrategy.validate!({ metadata: { name }, spec }, context)).toEqual([]);
  });

  it.each([{ nominalConcurrencyShares: 5, lendablePercent: 50 }, undefined])(
    'the exempt level may lend %o',
    (exempt) => {
      const spec = { type: 'Exempt', ...(exempt && { exempt }) };
      expect(priorityLevelStrategy.validate!({ metadata: { name: 'exempt' }, spec }, context)).toEqual([]);
    },
  );
});

it('schemas are listed in the order in which requests are matched', () => {
  const schema = (name: string, matchingPrecedence: number) => ({
    metadata: { name },
    spec: { priorityLevelConfiguration: { name: 'x' }, matchingPrecedence },
  });
  const list = [schema('b', 5), schema('c', 1), schema('a', 5)];
  expect(list.sort(flowSchemaStrategy.table!.order!).map(({ metadata }) => metadata.name)).toEqual(['c', 'a', 'b']);
});
