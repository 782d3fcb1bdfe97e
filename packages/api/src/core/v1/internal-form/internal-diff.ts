import { stringifyJson } from '@coxswain/apimachinery';
import { internalForm } from './internal-form.ts';
import { unifiedDiff } from './unified-diff.ts';

/** How two values of one of upstream's internal types differ, as its messages show it: a unified diff of their JSON. */
export function internalDiff(type: string, before: object, after: object): string {
  return unifiedDiff(print(type, before), print(type, after));
}

/** Indented by one space, as upstream does here; no text in JSON has a line break of its own. */
const print = (type: string, value: object): string =>
  stringifyJson(internalForm(type, value), { pretty: true }).replace(/^ +/gm, (indent) =>
    indent.slice(indent.length / 2),
  );
