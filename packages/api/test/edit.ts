import type { Change } from './case.ts';

/**
 * Returns a change that sets values at dotted paths: `{ 'spec.ports.0.name': 'web' }`. Missing parents are created;
 * undefined deletes. A key that contains dots, such as that of an annotation, is in brackets at the end:
 * `metadata.labels[a.b/c]`.
 */
export function edit(changes: Readonly<Record<string, unknown>>): Change {
  return (object) => {
    for (const [path, value] of Object.entries(changes)) {
      const [, dotted, key] = /^([^[]*)(?:\[(.*)\])?$/.exec(path)!;
      const steps = [...dotted!.split('.'), ...(key === undefined ? [] : [key])];
      const last = steps.pop()!;
      let place = object;
      for (const step of steps) place = place[step] ??= {};
      if (value === undefined) delete place[last];
      else place[last] = structuredClone(value);
    }
  };
}
