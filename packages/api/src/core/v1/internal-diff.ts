import { internalForm } from './pod/internal-form.ts';
import { unifiedDiff } from './pod/unified-diff.ts';

/** How two values of one of upstream's internal types differ, as its messages show it: a unified diff of their JSON. */
export function internalDiff(type: string, before: object, after: object): string {
  return unifiedDiff(print(type, before), print(type, after));
}

/** Go escapes what HTML could misread. */
const print = (type: string, value: object): string =>
  JSON.stringify(internalForm(type, value), null, 1).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
