import { GroupVersion } from '@coxswain/apimachinery';
import { describe, expect, it } from 'vitest';
import { behaviours } from './behaviours.ts';
import { strategyFor } from './built-in-kinds.ts';
import { Catalogue } from './catalogue/catalogue.ts';

const catalogue = Catalogue.builtIn();

describe('the behaviour of built-in kinds', () => {
  const resources = catalogue.groupVersions.flatMap(({ group, version, resources }) =>
    resources.map((resource) => ({
      name: `${resource.name}.${version}.${group}`,
      resource,
      gv: GroupVersion.of(group, version),
    })),
  );

  it.each(resources)('$name has a strategy', ({ resource, gv }) => {
    expect(strategyFor(catalogue.kind(gv.withKind(resource.kind))!.hub)).toBeDefined();
  });

  it('every kind with a status subresource has a strategy for it', () => {
    const orphans = resources.filter(({ resource, gv }) => {
      const hasStatus = resource.subresources?.some(({ name }) => name === 'status');
      return hasStatus && !strategyFor(catalogue.kind(gv.withKind(resource.kind))!.hub)?.subresources?.status;
    });
    expect(orphans.map(({ name }) => name)).toEqual([]);
  });

  it('exists only for known kinds: strategies for hub versions, conversions for the others', () => {
    for (const { group, version, defaults, strategies, conversions } of behaviours) {
      const gv = GroupVersion.of(group, version);
      for (const kind of Object.keys({ ...defaults, ...strategies, ...conversions })) {
        expect(catalogue.kind(gv.withKind(kind)), `${gv} ${kind}`).toBeDefined();
      }
      for (const kind of Object.keys(strategies ?? {}))
        expect(catalogue.kind(gv.withKind(kind))!.hub).toBe(gv.withKind(kind));
      for (const kind of Object.keys(conversions ?? {}))
        expect(catalogue.kind(gv.withKind(kind))!.hub).not.toBe(gv.withKind(kind));
    }
  });
});
