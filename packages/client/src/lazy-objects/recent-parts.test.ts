import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RecentParts } from './recent-parts.ts';

const before = Buffer.from('"spec":');
/** A line with a spec of about that many bytes, and the offsets of its parts. Without a phase there is no status. */
function lineOf(value: string, length = 0, phase?: string) {
  const spec = { value, filling: 'x'.repeat(length) };
  const status = phase === undefined ? undefined : { phase };
  const specText = Buffer.from(JSON.stringify(spec));
  const rest = Buffer.from(status ? `,"status":${JSON.stringify(status)}` : '');
  const line = Buffer.concat([before, specText, rest, Buffer.from('}}')]);
  const specEnd = before.length + specText.length;
  return { spec, status, line, from: before.length, specEnd, to: specEnd + rest.length };
}
type Line = ReturnType<typeof lineOf>;

const remember = (parts: RecentParts, uid: string, { line, from, specEnd, to, spec, status }: Line) =>
  parts.remember(uid, { spec, status }, line, from, specEnd, to);
const find = (parts: RecentParts, uid: string, { line, from, to }: Line) => parts.find(uid, line, from, to);

describe('RecentParts', () => {
  it('finds the last remembered parts of an object, or nothing', () => {
    const uids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm', 'n', 'o', 'p', 'q', 'r', 's', 't'];
    const step = fc.record({
      uid: fc.constantFrom(...uids),
      action: fc.constantFrom('remember', 'remember', 'remember', 'forget'),
      value: fc.constantFrom('1', '22', 'ä'),
      length: fc.constantFrom(0, 100, 3000, 16_000, 16_200, 16_380, 20_000),
      phase: fc.constantFrom(undefined, 'Pending', 'Running'),
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 30, maxLength: 120 }), (steps) => {
        const parts = new RecentParts();
        const last = new Map<string, Line>();
        for (const { uid, action, value, length, phase } of steps) {
          const line = lineOf(value, length, phase);
          if (action === 'forget') {
            parts.forget(uid);
            last.delete(uid);
          } else {
            remember(parts, uid, line);
            last.set(uid, line);
            // The newest text is found, unless it is too long.
            expect(find(parts, uid, line)?.spec).toBe(length < 16_300 ? line.spec : undefined);
          }
          for (const each of uids) {
            const known = last.get(each);
            for (const other of [known ?? line, line]) {
              const found = find(parts, each, other);
              if (!found) continue;
              expect(found.spec).toBe(known?.spec);
              expect(found.spec).toEqual(other.spec);
              expect(found.specLength).toBe(other.specEnd - other.from);
              expect(found.isWhole).toBe(known?.status?.phase === other.status?.phase);
              expect(found.status).toBe(found.isWhole ? known?.status : undefined);
            }
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    [0, 150, 350],
    [100_000, 1500, 2500],
  ])('holds for a cache of %i objects more than %i and less than %i', (objects, least, most) => {
    const parts = new RecentParts(() => objects);
    const lines = Array.from({ length: 3000 }, (_, i) => lineOf(String(i), 900));
    for (const [i, line] of lines.entries()) remember(parts, String(i), line);
    const found = lines.map((line, i) => find(parts, String(i), line) !== undefined);
    const count = found.length - found.indexOf(true);
    expect(found.indexOf(true)).toBe(found.lastIndexOf(false) + 1);
    expect(count).toBeGreaterThan(least);
    expect(count).toBeLessThan(most);
  });

  it('finds nothing in a truncated or different text', () => {
    const parts = new RecentParts();
    const line = lineOf('a');
    remember(parts, 'a', line);
    expect(find(parts, 'a', line)?.spec).toBe(line.spec);
    expect(find(parts, 'b', line)).toBeUndefined();
    expect(find(parts, 'a', { ...line, to: line.to - 1 })).toBeUndefined();
    expect(find(parts, 'a', lineOf('b'))).toBeUndefined();
  });

  it('returns the parts of the newest state', () => {
    const parts = new RecentParts();
    const { line, from, specEnd, to, spec, status } = lineOf('a', 0, 'Running');
    const state: { spec?: object; status?: object | undefined } = { spec: { ...spec }, status };
    parts.remember('a', state, line, from, specEnd, to);
    const shared = { ...spec };
    state.spec = shared;
    expect(parts.find('a', line, from, to)?.spec).toBe(shared);
    parts.follow('a', { spec });
    // The followed state has no status.
    expect(parts.find('a', line, from, to)).toMatchObject({ isWhole: false, status: undefined });
    expect(parts.find('a', line, from, to)?.spec).toBe(spec);
    parts.follow('a', {});
    expect(parts.find('a', line, from, to)).toBeUndefined();
  });
});
