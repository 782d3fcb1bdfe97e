import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LruCache } from './lru-cache.ts';

const key = fc.nat(5);
const step = fc.oneof(
  fc.record({ do: fc.constant('get' as const), key }),
  fc.record({ do: fc.constant('set' as const), key }),
  fc.record({ do: fc.constant('delete' as const), key }),
  fc.record({ do: fc.constant('clear' as const), key }),
);

it('holds the most recently used entries after any sequence of operations', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const cache = new LruCache<number, string>(3);
      // The least recently used first.
      let model: [number, string][] = [];
      steps.forEach(({ do: what, key }, turn) => {
        const known = model.find(([other]) => other === key);
        const others = model.filter(([other]) => other !== key);
        if (what === 'get') {
          expect(cache.get(key)).toBe(known?.[1]);
          if (known) model = [...others, known];
        } else if (what === 'set') {
          const all: typeof model = [...others, [key, `value ${turn}`]];
          model = all.slice(-3);
          expect(cache.set(key, `value ${turn}`)).toBe(all.length > 3 ? all[0]![1] : undefined);
        } else if (what === 'delete') {
          cache.delete(key);
          model = others;
        } else {
          cache.clear();
          model = [];
        }
        expect([...cache.entries()]).toEqual(model);
        for (const [key, value] of model) expect(cache.peek(key)).toBe(value);
        expect([...cache.entries()]).toEqual(model);
      });
    }),
  );
});
