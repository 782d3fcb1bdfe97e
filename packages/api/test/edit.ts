import type { Change } from './case.ts';

/**
 * A change by dotted paths: `{ 'spec.ports.0.name': 'web' }`. What is missing on the way is made, undefined removes.
 * Keys that hold dots themselves, such as those of annotations, stand in brackets at the end: `metadata.labels[a.b/c]`.
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
