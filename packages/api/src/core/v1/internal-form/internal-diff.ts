import { stringifyJson } from '@coxswain/apimachinery';
import { internalForm } from './internal-form.ts';
import { unifiedDiff } from './unified-diff.ts';

/** Returns the difference of two values of an internal type as upstream's messages show it: a unified diff of their JSON. */
export function internalDiff(type: string, before: object, after: object): string {
  return unifiedDiff(print(type, before), print(type, after));
}

/** Formats JSON with an indent of one space, as upstream does here. Strings in JSON contain no line breaks. */
const print = (type: string, value: object): string =>
  stringifyJson(internalForm(type, value), { pretty: true }).replace(/^ +/gm, (indent) =>
    indent.slice(indent.length / 2),
  );
