import { readFileSync } from 'node:fs';
import { Catalogue } from '@coxswain/api';
import type { ExpressionWarning, ValidatingAdmissionPolicy } from '@coxswain/api/admissionregistration/v1';
import { GroupVersionKind } from '@coxswain/apimachinery';
import { systemEventLoop } from '@coxswain/apimachinery/turns';
import { describe, expect, it } from 'vitest';
import { builtInType } from './schema-type.ts';
import { checkTypes, type TypeCheckerOptions } from './type-checker.ts';

/** The warnings of upstream's type checker, with 0 in place of the timestamps at the end of type names. */
const recorded = JSON.parse(readFileSync(new URL('./testdata/type-checking.json', import.meta.url), 'utf8')) as Record<
  string,
  { policy: Pick<ValidatingAdmissionPolicy, 'spec'>; warnings: ExpressionWarning[] }
>;

const kinds = [
  ...['Pod', 'Service', 'ConfigMap', 'Secret', 'Namespace'].map((kind) => GroupVersionKind.of('', 'v1', kind)),
  ...['Deployment', 'ControllerRevision'].map((kind) => GroupVersionKind.of('apps', 'v1', kind)),
];
const options: TypeCheckerOptions = {
  eventLoop: systemEventLoop,
  kindsFor: ({ group, version, resource }) =>
    kinds.filter(
      (kind) => kind.group === group && kind.version === version && `${kind.kind.toLowerCase()}s` === resource,
    ),
  typeOf: (kind) => {
    const schema = Catalogue.builtIn().kind(kind)?.schema;
    return schema && builtInType(schema, `${kind.kind}0`);
  },
};

describe('checkTypes returns the warnings of upstream', () => {
  for (const [name, { policy, warnings }] of Object.entries(recorded))
    it(name, async () => {
      expect(await checkTypes(policy, options)).toEqual(warnings);
    });
});
