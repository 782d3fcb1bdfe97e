import { readJson } from '@coxswain/apimachinery/codec/json';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UnreadParts } from './unread-parts.ts';

const members = ['spec', 'status'];
const textOf = (parts: object): string => JSON.stringify(parts).slice(1, -1);

/** UnreadParts of a text within a larger buffer, which is a Node Buffer or a plain Uint8Array. */
function borrowed(text: string, isNodes = true): { parts: UnreadParts; chunk: Uint8Array } {
  const bytes = new TextEncoder().encode(text);
  const larger = new Uint8Array(bytes.length * 2 + 20);
  larger.set(bytes, 10);
  const chunk = isNodes ? Buffer.from(larger.buffer) : larger;
  return { parts: new UnreadParts(members, chunk.subarray(10, 10 + bytes.length), []), chunk };
}

describe('UnreadParts', () => {
  it('are read correctly with any older state, also after the buffer was overwritten', () => {
    const part = fc.oneof(
      fc.constantFrom<unknown>({ a: 'ä' }, { a: 'ö' }, { a: { b: 1, status: {} } }, { a: { b: 1 } }, {}),
      fc.jsonValue(),
    );
    const state = fc.oneof(fc.record({ spec: part, status: part }), fc.record({ spec: part }));
    fc.assert(
      fc.property(fc.array(fc.tuple(state, fc.boolean(), fc.boolean()), { maxLength: 6 }), (states) => {
        let older: UnreadParts | undefined;
        const all = states.map(([state, isNodes, keepsLate]) => {
          const { parts, chunk } = borrowed(textOf(state), isNodes);
          if (older) parts.shareWith(older);
          older = parts;
          const keep = (): void => {
            parts.keep();
            chunk.fill(0);
          };
          if (!keepsLate) keep();
          return { parts, keep };
        });
        for (const { keep } of all) keep();
        expect(all.map(({ parts }) => parts.read())).toEqual(states.map(([state]) => readJson(JSON.stringify(state))));
      }),
      { numRuns: 300 },
    );
  });

  const spec = { nodeName: 'one' };
  const [running, failed] = [{ phase: 'Running' }, { phase: 'Failed!' }];
  it.each<[string, object, object]>([
    ['all', { spec, status: running }, { spec: { nodeName: 'two' }, status: running }],
    ['the spec', { spec, status: failed }, { spec: { nodeName: 'two' }, status: failed }],
    ['nothing', { spec: { nodeName: 'six' }, status: running }, { spec: { nodeName: 'six' }, status: running }],
  ])('share %s with an older state if it is equal', (_, state, changed) => {
    const bytes = new TextEncoder().encode(textOf({ spec, status: running }));
    const { parts } = borrowed(textOf(state));
    parts.shareWith(new UnreadParts(members, bytes));
    parts.keep();
    const next = borrowed(textOf(state)).parts;
    next.shareWith(parts);
    next.keep();
    // Parts that share these bytes see the change.
    bytes.set(new TextEncoder().encode('two'), new TextDecoder().decode(bytes).indexOf('one'));
    expect(parts.read()).toEqual(changed);
    expect(next.read()).toEqual(changed);
  });
});
