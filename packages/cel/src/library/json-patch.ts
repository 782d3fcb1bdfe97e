import type { Library } from '../checking/function-declaration.ts';
import { STRING } from '../values/types.ts';
import { traversalCost } from './call-cost.ts';
import { globalFunction } from './declare.ts';

/** `jsonpatch.escapeKey()`. Not part of the base environment, only of that of mutating admission policies. */
export const jsonPatchLibrary: Library = {
  name: 'kubernetes.jsonpatch',
  functions: [
    globalFunction('jsonpatch.escapeKey', {
      id: 'string_jsonpatch_escapeKey_string',
      parameters: [STRING],
      result: STRING,
      cost: traversalCost(1, (size) => size),
      call: (key) => key.replaceAll('~', '~0').replaceAll('/', '~1'),
    }),
  ],
};
