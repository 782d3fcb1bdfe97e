import fc from 'fast-check';
import { expect, it } from 'vitest';
import { NodeInfo } from './node-info.ts';
import { RememberedNodes } from './remembered-nodes.ts';
import { RowVersions } from './row-versions.ts';
import type { Snapshot } from './snapshot.ts';

/** A snapshot with a variable number of nodes. Its versions keep only a few changes. */
class GrowingSnapshot implements Snapshot {
  readonly nodes: NodeInfo[] = [];
  readonly versions = new RowVersions(6);
  readonly nodesWithAffinity = [];
  readonly nodesWithRequiredAntiAffinity = [];

  get(name: string): NodeInfo | undefined {
    return this.nodes.find((node) => node.name === name);
  }

  isClaimUsed(): boolean {
    return false;
  }

  resize(size: number): void {
    for (let row = this.nodes.length; row < size; row++) {
      const node = new NodeInfo({ metadata: { name: `n${row}` } });
      node.row = row;
      this.nodes.push(node);
      this.versions.changed(row);
    }
    this.nodes.length = size;
  }
}

const rows = fc.nat(7);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('set' as const), row: rows }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('change' as const), row: rows }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('sync' as const), own: fc.option(rows) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('resize' as const), size: rows }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('another' as const) }) },
);

it('after each sync returns exactly the values set since the last change of each node', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let snapshot = new GrowingSnapshot();
      const remembered = new RememberedNodes<string>({ isSettled: (value) => value.endsWith('1') });
      let known = new Map<number, { readonly value: string; readonly version: number }>();
      let own: number | undefined;
      const sync = (next: number | undefined): void => {
        remembered.sync(snapshot, next === undefined ? undefined : `n${next}`);
        const isGone = (row: number): boolean => row === own || row === next || row >= snapshot.nodes.length;
        known = new Map(
          [...known].filter(([row, { version }]) => !isGone(row) && version === snapshot.versions.of(row)),
        );
        own = snapshot.nodes[next ?? -1]?.row;
      };
      sync(undefined);
      for (const [i, each] of steps.entries()) {
        if (each.do === 'change') {
          if (each.row < snapshot.nodes.length) snapshot.versions.changed(each.row);
          continue;
        }
        if (each.do === 'resize') snapshot.resize(each.size);
        if (each.do === 'another') snapshot = new GrowingSnapshot();
        if (each.do === 'another') snapshot.resize(4);
        if (each.do === 'set') {
          const node = snapshot.nodes[each.row];
          if (!node) continue;
          remembered.set(node, `v${i}`);
          known.set(each.row, { value: `v${i}`, version: snapshot.versions.of(each.row) });
          continue;
        }
        sync(each.do === 'sync' ? (each.own ?? undefined) : undefined);
        expect(snapshot.nodes.map((node) => remembered.get(node))).toEqual(
          snapshot.nodes.map((_, row) => known.get(row)?.value),
        );
        expect(remembered.known).toBe(known.size);
        const isOpen = (row: number): boolean => !known.get(row)?.value.endsWith('1');
        for (let from = 0; from <= snapshot.nodes.length; from++) {
          const open = snapshot.nodes.findIndex((_, row) => row >= from && isOpen(row));
          expect(remembered.skipSettled(from, snapshot.nodes.length)).toBe(open < 0 ? snapshot.nodes.length : open);
        }
        const unknown = snapshot.nodes.filter((_, row) => !known.has(row));
        expect(remembered.unknown(unknown.length)).toEqual(unknown);
        expect(remembered.unknown(unknown.length - 1)).toBeUndefined();
      }
    }),
  );
});

it('versions return the rows changed since a version, as long as they are kept', () => {
  const versions = new RowVersions(4);
  expect([versions.last, versions.since(0)]).toEqual([0, []]);
  for (const row of [3, 1, 3]) versions.changed(row);
  expect([versions.last, versions.of(1), versions.of(3), versions.of(0)]).toEqual([3, 2, 3, 0]);
  expect([versions.since(0), versions.since(2), versions.since(3)]).toEqual([[3, 1, 3], [3], []]);
  for (const row of [5, 6]) versions.changed(row);
  expect([versions.last, versions.since(1), versions.since(2)]).toEqual([5, undefined, [3, 5, 6]]);
});
