import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RecentSpecs } from './recent-specs.ts';

const before = Buffer.from('"spec":');
const after = Buffer.from(',"status":{}}}');
/** A spec of about that many bytes, and where it is in a line. */
function lineOf(value: string, length = 0) {
  const spec = { value, filling: 'x'.repeat(length) };
  const text = Buffer.from(JSON.stringify(spec));
  return { spec, line: Buffer.concat([before, text, after]), from: before.length, to: before.length + text.length };
}

describe('RecentSpecs', () => {
  it('find what was remembered last of an object, or nothing', () => {
    const uids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm', 'n', 'o', 'p', 'q', 'r', 's', 't'];
    const step = fc.record({
      uid: fc.constantFrom(...uids),
      action: fc.constantFrom('remember', 'remember', 'remember', 'forget'),
      value: fc.constantFrom('1', '22', 'ä'),
      length: fc.constantFrom(0, 100, 3000, 16_000, 16_200, 16_380, 20_000),
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 30, maxLength: 120 }), (steps) => {
        const specs = new RecentSpecs();
        const last = new Map<string, ReturnType<typeof lineOf>>();
        for (const { uid, action, value, length } of steps) {
          const line = lineOf(value, length);
          if (action === 'forget') {
            specs.forget(uid);
            last.delete(uid);
          } else {
            specs.remember(uid, line, line.line, line.from, line.to);
            last.set(uid, line);
            // The newest is there, unless it is too long.
            expect(specs.find(uid, line.line, line.from)?.spec).toBe(length < 16_300 ? line.spec : undefined);
          }
          for (const each of uids) {
            const known = last.get(each);
            for (const other of [known ?? line, line]) {
              const found = specs.find(each, other.line, other.from);
              if (!found) continue;
              expect(found.spec).toBe(known?.spec);
              expect(found.spec).toEqual(other.spec);
              expect(found.length).toBe(other.to - other.from);
            }
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it('are some hundreds', () => {
    const specs = new RecentSpecs();
    const lines = Array.from({ length: 1000 }, (_, i) => lineOf(String(i), 700));
    for (const [i, line] of lines.entries()) specs.remember(String(i), line, line.line, line.from, line.to);
    const found = lines.map(({ line, from }, i) => specs.find(String(i), line, from) !== undefined);
    expect(found.lastIndexOf(false)).toBeGreaterThan(500);
    expect(found.lastIndexOf(false)).toBeLessThan(700);
    expect(found.indexOf(true)).toBe(found.lastIndexOf(false) + 1);
  });

  it('are not found in a text that ends too early, or that is another', () => {
    const specs = new RecentSpecs();
    const { line, from, to, spec } = lineOf('a');
    specs.remember('a', { spec }, line, from, to);
    expect(specs.find('a', line, from)?.spec).toBe(spec);
    expect(specs.find('b', line, from)).toBeUndefined();
    expect(specs.find('a', line.subarray(0, to - 1), from)).toBeUndefined();
    expect(specs.find('a', lineOf('b').line, from)).toBeUndefined();
  });

  it('are those of the newest state', () => {
    const specs = new RecentSpecs();
    const { line, from, to, spec } = lineOf('a');
    const state: { spec?: object } = { spec: { ...spec } };
    specs.remember('a', state, line, from, to);
    const shared = { ...spec };
    state.spec = shared;
    expect(specs.find('a', line, from)?.spec).toBe(shared);
    specs.follow('a', { spec });
    expect(specs.find('a', line, from)?.spec).toBe(spec);
    specs.follow('a', {});
    expect(specs.find('a', line, from)).toBeUndefined();
  });
});
